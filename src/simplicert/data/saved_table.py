"""A folder that `save_to_disk` of datasets wrote, looked at before datasets opens it."""

import struct
from pathlib import Path

from simplicert.errors import InvalidInput, require
from simplicert.files import open_file, read_json
from simplicert.memory import require_memory

# Places in the flat buffers of an Arrow message: its kind and its content; of a dictionary its
# values, of a batch its packing.
KIND, CONTENT, VALUES, PACKING = 1, 2, 1, 3
DICTIONARY, BATCH = 2, 3  # the kinds of messages that hold values


def check_saved_table(folder: Path) -> None:
    """Refuse pipes, devices, texts beyond the limits and tables that would grow when read.

    datasets maps tables into memory as they are and never packs them: a packed one, which would be
    unpacked whole, was made by something else.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            continue
        open_file(path).close()
        if path.suffix == ".json":
            read_json(path)
        elif path.suffix == ".arrow":
            require_memory(f"{path.name} of {folder.name}", path.stat().st_size)
            require(
                not _is_packed(path), f"{path.name} of {folder.name} must not be a packed table"
            )


def _is_packed(path: Path) -> bool:
    """Whether any batch of an Arrow stream says that its body is compressed."""
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as source:
            for message in pa.ipc.MessageReader.open_stream(source):
                head = message.metadata.to_pybytes()
                root = struct.unpack_from("<I", head)[0]
                kind, content = (_place(head, root, number) for number in (KIND, CONTENT))
                if not kind or not content or head[kind] not in (DICTIONARY, BATCH):
                    continue
                batch = content + struct.unpack_from("<I", head, content)[0]
                if head[kind] == DICTIONARY:  # its values are a batch
                    inner = _place(head, batch, VALUES)
                    batch = inner + struct.unpack_from("<I", head, inner)[0]
                if _place(head, batch, PACKING):
                    return True
    except (pa.ArrowException, OSError, struct.error, IndexError) as error:
        raise InvalidInput(f"{path.name} must be a table that datasets wrote: {error}") from None
    return False


def _place(head: bytes, table: int, number: int) -> int:
    """Where a field of a flat buffer's table begins; 0 where it has none."""
    directory = table - struct.unpack_from("<i", head, table)[0]
    at = 4 + 2 * number
    if directory < 0 or at >= struct.unpack_from("<H", head, directory)[0]:
        return 0
    offset = struct.unpack_from("<H", head, directory + at)[0]
    return table + int(offset) if offset else 0
