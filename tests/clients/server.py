"""A model server that plays the wire cases: the name of the model is the name of the case.

`chat/healthy_call@bytes` plays it byte by byte, `@one` in one piece, `@gzip` packed, and `@abort`
breaks the connection off instead of ending the reply.
"""

import asyncio
import gzip
import json

import stored

KINDS = {"ollama": b"application/x-ndjson"}


def pieces(case, way):
    stream = case.stream
    if way == "bytes":
        return [stream[at : at + 1] for at in range(len(stream))]
    if way == "gzip":
        return [gzip.compress(stream)]
    if way == "one":
        return [stream]
    return stream.splitlines(keepends=True)


async def read_request(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").lower()
    fields = dict(line.split(":", 1) for line in head.split("\r\n")[1:] if ":" in line)
    if "chunked" in fields.get("transfer-encoding", ""):
        body = b""
        while size := int((await reader.readline()).strip(), 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
        return body
    return await reader.readexactly(int(fields.get("content-length", 0)))


async def serve(reader, writer, cases):
    try:
        while True:
            body = await read_request(reader)
            if not body:
                # The proxy asks who this is.
                writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
                continue
            asked = json.loads(body)
            name, _, way = asked["model"].partition("@")
            case = cases[name]
            packed = b"content-encoding: gzip\r\n" if way == "gzip" else b""
            kind = KINDS.get(case.api, b"text/event-stream")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: " + kind + b"\r\n" + packed)
            writer.write(b"transfer-encoding: chunked\r\n\r\n")
            for piece in pieces(case, way):
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                await writer.drain()
                await asyncio.sleep(0)
            if way == "abort":
                await asyncio.sleep(0.05)
                writer.transport.abort()
                return
            writer.write(b"0\r\n\r\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
        pass
    finally:
        writer.close()


async def start():
    """Starts on a free port, and returns the server and its port."""
    cases = {case.name: case for case in stored.cases()}
    server = await asyncio.start_server(
        lambda reader, writer: serve(reader, writer, cases), "127.0.0.1", 0
    )
    return server, server.sockets[0].getsockname()[1]
