"""Builds a model that says what it is told, for a real llama.cpp to run.

Nothing is trained: the weights are written down. A prompt that holds `<|script:NAME|>` makes the model
say the text of that script, piece by piece, and stop; the last such mark in the prompt counts. So a
real server, with its own templates, parsers and streams, can be made to receive any text from its model.

How it works: one layer, one head. The token of a mark has a random code, and a dimension of its own
that alone makes keys; every query is the same. So attention always copies the code of the nearest mark.
Each piece of a script has a code as well, which is louder; the output row of a piece is the code of
what stands before it. So the mark calls for the first piece, each piece for the next, and the last one
for the end.
"""

import collections
import json
import math
import re
import sys

import gguf
import numpy as np

WIDTH = 256
CONTEXT = 32768
PIECE = 4
WORDS = 4000
BASE = 1e6
# Two dimensions have a meaning: one makes keys, the other calls for the end.
KEY, END = 0, 1
# llama.cpp turns these into triggers of grammars, which must not be ordinary tokens.
RESERVED = ["<think>", "</think>", "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "<function=", "<|channel|>"]
CONTROL, NORMAL, UNKNOWN, BYTE = (
    gguf.TokenType.CONTROL,
    gguf.TokenType.NORMAL,
    gguf.TokenType.UNKNOWN,
    gguf.TokenType.BYTE,
)


class Vocabulary:
    """Tokens with the vectors that they read and write."""

    def __init__(self, spelt):
        self.spelt = spelt
        self.random = np.random.default_rng(11)
        self.texts, self.kinds, self.reads, self.writes = [], [], [], []
        self.taken = set()
        for mark in RESERVED:
            self.taken.update([mark, mark + "\n", "\n" + mark])

    def add(self, text, kind):
        self.texts.append(text)
        self.kinds.append(kind)
        self.reads.append(np.zeros(WIDTH, np.float32))
        self.writes.append(np.zeros(WIDTH, np.float32))
        self.taken.add(text)
        return len(self.texts) - 1

    def code(self, loudness):
        code = np.zeros(WIDTH, np.float32)
        code[2:] = self.random.choice([-1.0, 1.0], WIDTH - 2) * loudness
        return code

    def pieces(self, text):
        """Cuts a text into pieces that no other script has."""
        pieces, start = [], 0
        while start < len(text):
            end = start + PIECE
            while end < len(text) and self.spelt(text[start:end]) in self.taken:
                end += 1
            piece = text[start:end]
            while len(piece) < 2 or self.spelt(piece) in self.taken:
                if not pieces:
                    sys.exit(f"a script cannot be cut into pieces of its own: {text!r}")
                before = pieces.pop()
                self.taken.discard(self.spelt(before))
                piece = before + piece
            self.taken.add(self.spelt(piece))
            pieces.append(piece)
            start = end
        return pieces


def with_low_lines(text):
    """How vocabularies of SentencePiece write spaces."""
    return text.replace(" ", "\u2581")


def add_script(words, start, name, text):
    code = words.code(1.0)
    if name == "default":
        # Without a mark, the start of the prompt stands for one, more softly.
        words.reads[start] = code.copy()
        words.reads[start][KEY] = 2.0
    else:
        mark = words.add(f"<|script:{name}|>", CONTROL)
        words.reads[mark] = code.copy()
        words.reads[mark][KEY] = 4.0
    before = code
    for piece in words.pieces(text):
        token = words.add(words.spelt(piece), NORMAL)
        words.writes[token] = np.sign(before)
        before = words.reads[token] = words.code(3.0)
    words.reads[token] = np.zeros(WIDTH, np.float32)
    words.reads[token][END] = 3.0 * math.sqrt(WIDTH)


def add_words(words, text):
    """Makes tokens of the commonest words of a text, which mean nothing, so that prompts like it are short."""
    scores = {}
    counted = collections.Counter(re.findall(r" ?[A-Za-z_]{2,}|\n +|[^A-Za-z<\s]{2,4}", text))
    for word, _ in counted.most_common(WORDS):
        # Tokens are merged from the left, so each start of a word is one as well.
        for end in range(2, len(word) + 1):
            start = words.spelt(word[:end])
            if start not in words.taken:
                scores[words.add(start, NORMAL)] = -1.0 / end
    return scores


def weights(words):
    """The whole network."""
    # A turn of the rotary embedding so slow that the nearest mark has the largest product.
    slow = next(at for at in range(WIDTH // 2) if BASE ** (-2 * at / WIDTH) * CONTEXT < 1.4)
    none, same = np.zeros((WIDTH, WIDTH), np.float32), np.eye(WIDTH, dtype=np.float32)
    keys, values = none.copy(), same.copy()
    keys[slow, KEY] = 40.0
    values[KEY, KEY] = values[END, END] = 0
    query = np.zeros(WIDTH, np.float32)
    query[slow] = 4000.0
    ones, zeros = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)
    return {
        "token_embd.weight": np.stack(words.reads),
        "output.weight": np.stack(words.writes),
        "output_norm.weight": ones,
        "blk.0.attn_norm.weight": ones,
        "blk.0.ffn_norm.weight": ones,
        "blk.0.attn_q.weight": none,
        "blk.0.attn_k.weight": keys,
        "blk.0.attn_v.weight": values,
        "blk.0.attn_output.weight": same,
        "blk.0.attn_q.bias": query,
        "blk.0.attn_k.bias": zeros,
        "blk.0.attn_v.bias": zeros,
        "blk.0.ffn_gate.weight": np.zeros((32, WIDTH), np.float32),
        "blk.0.ffn_up.weight": np.zeros((32, WIDTH), np.float32),
        "blk.0.ffn_down.weight": np.zeros((WIDTH, 32), np.float32),
    }


def build(path, scripts, template, text=""):
    """Writes the model. `text` is like what stands around the marks in long prompts."""
    words = Vocabulary(with_low_lines)
    unknown = words.add("<unk>", UNKNOWN)
    start = words.add("<s>", CONTROL)
    end = words.add("<|im_end|>", CONTROL)
    words.add("<|im_start|>", CONTROL)
    for byte in range(256):
        words.add(f"<0x{byte:02X}>", BYTE)
    scores = add_words(words, text)
    for name, said in scripts.items():
        add_script(words, start, name, said)
    words.writes[end][END] = 16.0

    tensors = weights(words)
    writer = gguf.GGUFWriter(path, "qwen2")
    writer.add_name("replay")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(BASE)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text.encode() for text in words.texts])
    writer.add_token_scores([scores.get(at, -1000.0 - at) for at in range(len(words.texts))])
    writer.add_token_types(words.kinds)
    writer.add_bos_token_id(start)
    writer.add_eos_token_id(end)
    writer.add_unk_token_id(unknown)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(template)
    for name, tensor in tensors.items():
        writer.add_tensor(name, tensor.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    out, scripts_path, template_path = sys.argv[1:4]
    with open(scripts_path) as scripts, open(template_path) as template:
        build(out, {script["name"]: script["says"] for script in json.load(scripts)}, template.read())
