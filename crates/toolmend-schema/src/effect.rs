//! What a call of a tool does to the world, as far as anyone has said.

use serde_json::{Map, Value};

use crate::fold::fold;

/// What a call of a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It only looks.
    ReadOnly,
    /// It changes something: files, processes, other people's inboxes.
    Mutating,
    /// Nobody has said. Truncation and storms take it for mutating.
    Unknown,
}

impl Effect {
    /// The word that settings and reports use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Mutating => "mutating",
            Self::Unknown => "unknown",
        }
    }

    /// The effect that MCP's annotations tell.
    pub(crate) fn annotated(tool: &Map<String, Value>) -> Option<Self> {
        let annotations = tool.get("annotations")?;
        let says = |key: &str| annotations.get(key).and_then(Value::as_bool);
        match (says("readOnlyHint"), says("destructiveHint")) {
            (Some(true), _) => Some(Self::ReadOnly),
            (Some(false), _) | (None, Some(true)) => Some(Self::Mutating),
            _ => None,
        }
    }

    /// The effect of a well-known agent tool.
    pub(crate) fn of_name(name: &str) -> Self {
        // `mcp__files__read_file` and `files.read_file` end in the tool's own name.
        let own = name.rsplit("__").next().unwrap_or(name);
        let own = own.rsplit(['.', ':', '/']).next().unwrap_or(own);
        let folded = fold(own);
        if MUTATING.contains(&folded.as_str()) {
            Self::Mutating
        } else if READ_ONLY.contains(&folded.as_str()) {
            Self::ReadOnly
        } else if first_word(own).is_some_and(|verb| CHANGING.contains(&verb.as_str())) {
            Self::Mutating
        } else {
            Self::Unknown
        }
    }
}

/// The first word of a name, in lower case: `drop_table`, `dropTable`, `DropTable`.
fn first_word(name: &str) -> Option<String> {
    let name = name.trim_start_matches(|c: char| !c.is_alphanumeric());
    let mut last_is_lower = false;
    let end = name.find(|c: char| {
        let is_end = !c.is_alphanumeric() || c.is_uppercase() && last_is_lower;
        last_is_lower = c.is_lowercase();
        is_end
    });
    Some(name.get(..end.unwrap_or(name.len()))?.to_lowercase())
}

/// Verbs that change the world, whatever they are done to. Verbs that are also
/// done to values alone, such as `create`, `set`, `format` or `merge`, say nothing.
const CHANGING: &[&str] = &[
    "delete",
    "destroy",
    "drop",
    "erase",
    "wipe",
    "purge",
    "uninstall",
    "install",
    "kill",
    "terminate",
    "reboot",
    "restart",
    "shutdown",
    "deploy",
    "undeploy",
    "rollback",
    "transfer",
    "charge",
    "pay",
    "refund",
    "withdraw",
    "deposit",
    "purchase",
    "buy",
    "sell",
    "grant",
    "revoke",
    "ban",
    "unban",
    "disable",
    "unlock",
    "send",
    "publish",
    "unpublish",
    "overwrite",
    "upload",
    "cancel",
    "evict",
    "unlink",
];

/// Tools of well-known agents that change something, without case and separators.
const MUTATING: &[&str] = &[
    "bash",
    "shell",
    "sh",
    "zsh",
    "powershell",
    "exec",
    "execute",
    "executecommand",
    "runcommand",
    "runshellcommand",
    "runterminalcmd",
    "runterminalcommand",
    "runinterminal",
    "terminal",
    "localshell",
    "shellcommand",
    "execcommand",
    "commandexec",
    "bashtool",
    "killshell",
    "killbash",
    "python",
    "ipython",
    "runpython",
    "executepython",
    "codeinterpreter",
    "codeexecution",
    "executecode",
    "runcode",
    "executeipythoncell",
    "write",
    "writefile",
    "writetofile",
    "writetext",
    "savefile",
    "createfile",
    "newfile",
    "insertcode",
    "filewrite",
    "edit",
    "editfile",
    "fileedit",
    "multiedit",
    "multieditfile",
    "strreplace",
    "strreplaceeditor",
    "strreplacebasededittool",
    "replace",
    "replaceinfile",
    "replacestringinfile",
    "replacefilecontent",
    "searchreplace",
    "searchandreplace",
    "insert",
    "insertedit",
    "inserteditintofile",
    "insertcontent",
    "applypatch",
    "applydiff",
    "patch",
    "patchfile",
    "notebookedit",
    "editnotebook",
    "editnotebookfile",
    "delete",
    "deletefile",
    "removefile",
    "rm",
    "unlink",
    "deletedirectory",
    "move",
    "movefile",
    "renamefile",
    "rename",
    "copyfile",
    "mkdir",
    "createdirectory",
    "makedirectory",
    "gitcommit",
    "gitpush",
    "gitadd",
    "gitcheckout",
    "gitreset",
    "createpullrequest",
    "createissue",
    "mergepullrequest",
    "pushfiles",
    "createorupdatefile",
    "sendemail",
    "sendmessage",
    "postmessage",
    "createevent",
    "computer",
    "browseraction",
    "browserclick",
    "browsertype",
    "browsernavigate",
    "click",
    "installpackage",
    "todowrite",
    "undoedit",
    "executesql",
    "runquery",
];

/// Tools of well-known agents that only look.
const READ_ONLY: &[&str] = &[
    "read",
    "readfile",
    "readfiles",
    "readmanyfiles",
    "readmultiplefiles",
    "readtextfile",
    "viewfile",
    "view",
    "openfile",
    "cat",
    "fileread",
    "head",
    "tail",
    "grep",
    "grepsearch",
    "ripgrep",
    "rg",
    "searchfiles",
    "filesearch",
    "searchfilecontent",
    "searchcode",
    "codesearch",
    "codebasesearch",
    "semanticsearch",
    "glob",
    "globfiles",
    "findfiles",
    "findbyname",
    "find",
    "ls",
    "list",
    "listdir",
    "listdirectory",
    "listfiles",
    "listdirectorywithsizes",
    "directorytree",
    "tree",
    "getfileinfo",
    "stat",
    "listalloweddirectories",
    "listcodedefinitionnames",
    "websearch",
    "googlewebsearch",
    "search",
    "searchweb",
    "tavilysearch",
    "bravewebsearch",
    "webfetch",
    "fetch",
    "fetchurl",
    "fetchwebpage",
    "geturl",
    "readurl",
    "todoread",
    "gitstatus",
    "gitdiff",
    "gitlog",
    "gitshow",
    "getdiff",
    "geterrors",
    "readlints",
    "diagnostics",
    "lsp",
    "getweather",
    "getcurrentweather",
    "getcurrenttime",
    "gettime",
    "calculator",
    "calculate",
    "bashoutput",
    "getterminaloutput",
    "notebookread",
    "readnotebook",
    "think",
    "getissue",
    "listissues",
    "searchissues",
    "getpullrequest",
    "listpullrequests",
    "getfilecontents",
    "searchrepositories",
    "readresource",
    "listresources",
];
