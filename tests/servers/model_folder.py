"""Writes the model of `model.py` as a folder that vLLM and its kin read.

usage: model_folder.py FOLDER SCRIPTS TEMPLATE
"""

import json
import os
import struct
import sys

import model
import numpy as np

NAMES = {
    "token_embd": "model.embed_tokens",
    "output": "lm_head",
    "output_norm": "model.norm",
    "blk.0.attn_norm": "model.layers.0.input_layernorm",
    "blk.0.ffn_norm": "model.layers.0.post_attention_layernorm",
    "blk.0.attn_q": "model.layers.0.self_attn.q_proj",
    "blk.0.attn_k": "model.layers.0.self_attn.k_proj",
    "blk.0.attn_v": "model.layers.0.self_attn.v_proj",
    "blk.0.attn_output": "model.layers.0.self_attn.o_proj",
    "blk.0.ffn_gate": "model.layers.0.mlp.gate_proj",
    "blk.0.ffn_up": "model.layers.0.mlp.up_proj",
    "blk.0.ffn_down": "model.layers.0.mlp.down_proj",
}


def byte_signs():
    """The sign that stands for each byte in vocabularies of GPT-2: itself, where it can be seen."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    unseen = (chr(256 + at) for at in range(256))
    return [chr(byte) if byte in seen else next(unseen) for byte in range(256)]


SIGNS = byte_signs()


def in_bytes(text):
    return "".join(SIGNS[byte] for byte in text.encode())


def vocabulary(scripts):
    words = model.Vocabulary(in_bytes)
    for sign in SIGNS:
        words.add(sign, model.BYTE)
    end = words.add("<|im_end|>", model.CONTROL)
    start = words.add("<|im_start|>", model.CONTROL)
    for name, text in scripts.items():
        model.add_script(words, start, name, text)
    words.writes[end][model.END] = 16.0
    # The rows are shared out in blocks of this many.
    while len(words.texts) % 64:
        words.add(f"<|unused {len(words.texts)}|>", model.CONTROL)
    return words, end


def write_tensors(path, tensors):
    """The format of `safetensors`: where everything is, and then everything."""
    head, at = {"__metadata__": {"format": "pt"}}, 0
    for name, tensor in tensors.items():
        head[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + tensor.nbytes]}
        at += tensor.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.tobytes())


def tokenizer(words):
    marks = [
        {"id": at, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True}
        for at, (text, kind) in enumerate(zip(words.texts, words.kinds))
        if kind == model.CONTROL
    ]
    bytewise = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    numbers = {text: at for at, text in enumerate(words.texts)}
    return {
        "version": "1.0",
        "added_tokens": marks,
        "pre_tokenizer": bytewise,
        "decoder": bytewise,
        "model": {"type": "BPE", "vocab": numbers, "merges": []},
    }


def build(folder, scripts, template):
    words, end = vocabulary(scripts)
    tensors = {}
    for name, tensor in model.weights(words).items():
        place, _, part = name.rpartition(".")
        tensors[f"{NAMES[place]}.{part}"] = np.ascontiguousarray(tensor, np.float32)
    config = {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": model.WIDTH,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "num_key_value_heads": 1,
        "max_position_embeddings": model.CONTEXT,
        "rms_norm_eps": 1e-6,
        "rope_theta": model.BASE,
        "vocab_size": len(words.texts),
        "tie_word_embeddings": False,
        "hidden_act": "silu",
        "eos_token_id": end,
        "torch_dtype": "float32",
    }
    reading = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "chat_template": template,
        "clean_up_tokenization_spaces": False,
        "model_max_length": model.CONTEXT,
    }
    os.makedirs(folder, exist_ok=True)
    write_tensors(os.path.join(folder, "model.safetensors"), tensors)
    files = {
        "config.json": config,
        "generation_config.json": {"eos_token_id": end, "do_sample": False},
        "tokenizer.json": tokenizer(words),
        "tokenizer_config.json": reading,
    }
    for name, content in files.items():
        with open(os.path.join(folder, name), "w") as file:
            json.dump(content, file)


if __name__ == "__main__":
    out, scripts_path, template_path = sys.argv[1:4]
    with open(scripts_path) as scripts, open(template_path) as template:
        build(out, {script["name"]: script["says"] for script in json.load(scripts)}, template.read())
