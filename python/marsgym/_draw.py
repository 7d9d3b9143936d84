"""Pictures of positions: as SVG, and as pixels, for which Pillow draws."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from marsgym.game import Position

WIDTH: Final = 640
HEIGHT: Final = 480

_INK, _GREY, _PAPER, _LEGAL = "#1a1a1a", "#5f5f5f", "#ffffff", "#c2410c"
_SEATS: Final = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
    "#56b4e9", "#7a5195", "#8c564b", "#444444", "#6b8e23",
)  # fmt: skip
_KINDS: Final = ("#e8e8e8", "#d8e6f3", "#dfeed6", "#f6e3cf", "#eadff0", "#f5efc6", "#d3ecea")
_PANEL: Final = 430  # where the column of the seats begins

_Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class _Polygon:
    points: list[_Point]
    fill: str | None
    line: str
    width: int = 1


@dataclass(frozen=True)
class _Disc:
    at: _Point
    radius: float
    fill: str | None
    line: str


@dataclass(frozen=True)
class _Text:
    at: _Point  # the left end or the middle of the line, at half of its height
    text: str
    size: int
    fill: str = _INK
    middle: bool = False


_Shape: TypeAlias = _Polygon | _Disc | _Text


def scene(position: Position) -> dict[str, Any]:
    """What a position shows, as data: game.Scene of the Go module as JSON."""
    data: dict[str, Any] = position.game._ask(position.text, "scene")
    return data


def svg(scene: dict[str, Any]) -> str:
    """The picture of a scene as SVG."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>',
    ]
    for s in _shapes(scene):
        if isinstance(s, _Polygon):
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in s.points)
            paint = f'fill="{s.fill or "none"}" stroke="{s.line}" stroke-width="{s.width}"'
            lines.append(f'<polygon points="{points}" {paint}/>')
        elif isinstance(s, _Disc):
            paint = f'fill="{s.fill or "none"}" stroke="{s.line}"'
            place = f'cx="{s.at[0]:.1f}" cy="{s.at[1]:.1f}" r="{s.radius:.1f}"'
            lines.append(f"<circle {place} {paint}/>")
        else:
            anchor = "middle" if s.middle else "start"
            place = f'x="{s.at[0]:.1f}" y="{s.at[1] + 0.35 * s.size:.1f}"'
            font = f'font-size="{s.size}" fill="{s.fill}" text-anchor="{anchor}"'
            lines.append(f"<text {place} {font}>{escape(s.text)}</text>")
    return "\n".join([*lines, "</svg>"])


def pixels(scene: dict[str, Any]) -> npt.NDArray[np.uint8]:
    """The picture of a scene as pixels [HEIGHT, WIDTH, 3]."""
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise ImportError(
            "render_mode 'rgb_array' draws with Pillow; run: pip install pillow"
        ) from None
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    for s in _shapes(scene):
        if isinstance(s, _Polygon):
            draw.polygon(s.points, fill=s.fill, outline=s.line, width=s.width)
        elif isinstance(s, _Disc):
            (x, y), r = s.at, s.radius
            draw.ellipse((x - r, y - r, x + r, y + r), fill=s.fill, outline=s.line)
        else:
            anchor = "mm" if s.middle else "lm"
            draw.text(s.at, s.text, fill=s.fill, font=_font(s.size), anchor=anchor)
    return np.asarray(image).copy()


@functools.cache
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _shapes(scene: dict[str, Any]) -> Iterator[_Shape]:
    """The picture: the board on the left, the seats on the right, under two lines of text."""
    yield _Text((16, 22), _cut(scene["text"], 16, WIDTH - 32), 16)
    yield _Text((16, 42), _cut(scene["goal"], 11, WIDTH - 32), 11, _GREY)
    yield from _seats(scene)
    dice, notes = scene.get("dice") or [], list(_notes(scene))
    bottom = HEIGHT - 12 - 14 * len(notes)
    for i, line in enumerate(notes):
        yield _Text((16, bottom + 8 + 14 * i), _cut(line, 10, _PANEL - 28), 10, _GREY)
    board = scene.get("map")
    if board:
        bottom -= 54 * len(dice)
        yield from _map(board, 16, 58, _PANEL - 28, bottom - 64)
        top = bottom
    else:
        top = 64
    for i, group in enumerate(dice):
        yield from _dice(group, 16, top + 54 * i)


def _seats(scene: dict[str, Any]) -> Iterator[_Shape]:
    seats = scene["seats"]
    height = (HEIGHT - 64) / max(len(seats), 2)
    for i, seat in enumerate(seats):
        y, score = 64 + height * i, seat["score"]
        if i == scene["player"]:
            corners = [(_PANEL - 4, y), (WIDTH - 8, y), (WIDTH - 8, y + height - 4)]
            yield _Polygon([*corners, (_PANEL - 4, y + height - 4)], "#f3f3f3", _LEGAL)
        yield _Disc((_PANEL + 10, y + 14), 6, _seat(i), _INK)
        gain = f" +{score['gain']}" if score.get("gain") else ""
        target = f" of {score['target']}" if score.get("target") else ""
        text = f"seat {i}: {score['value']}{gain}{target} {score['name']}"
        yield _Text((_PANEL + 22, y + 14), _cut(text, 13, WIDTH - _PANEL - 30), 13)
        details = [", ".join(seat["notes"])] if seat.get("notes") else []
        for count in seat.get("counts") or []:
            most = f" of {count['most']}" if count.get("most") else ""
            group = f"{count['group']}: " if count.get("group") else ""
            details.append(f"{group}{count['name']}: {count['value']}{most}")
        for k, line in enumerate(details[: max(0, int((height - 28) / 13))]):
            text = _cut(line, 11, WIDTH - _PANEL - 30)
            yield _Text((_PANEL + 22, y + 30 + 13 * k), text, 11, _GREY)


def _notes(scene: dict[str, Any]) -> Iterator[str]:
    """The places beside the map, and the tracks, a line each."""
    for place in scene.get("places") or []:
        yield f"{place['name']}: {place['text']}"
    for track in scene.get("tracks") or []:
        levels = ", ".join(f"seat {i} at {level}" for i, level in enumerate(track["at"]))
        yield f"{track['name']}: {levels}"


def _dice(group: dict[str, Any], x: float, y: float) -> Iterator[_Shape]:
    text = f"{group['name']}: {group['text']}" if group.get("text") else group["name"]
    yield _Text((x, y + 7), _cut(text, 11, _PANEL - x - 12), 11, _GREY)
    for die in group["dice"]:
        if x > _PANEL - 76:
            return
        corners = [(x, y + 16), (x + 64, y + 16), (x + 64, y + 44), (x, y + 44)]
        legal = bool(die.get("actions"))
        yield _Polygon(corners, "#fbf7ec", _LEGAL if legal else _INK, 2 if legal else 1)
        count = f" x{die['count']}" if die["count"] > 1 else ""
        label = _cut((die["face"] or "?") + count, 11, 60)
        yield _Text((x + 32, y + 30), label, 11, _INK, middle=True)
        x += 70


def _map(
    board: dict[str, Any], x: float, y: float, width: float, height: float
) -> Iterator[_Shape]:
    scale = min(width / board["width"], height / board["height"])
    x += (width - scale * board["width"]) / 2

    def at(point: list[float]) -> _Point:
        return x + scale * point[0], y + scale * point[1]

    names = sorted({cell.get("kind", "") for cell in board["cells"]})
    kinds = {kind: _KINDS[i % len(_KINDS)] for i, kind in enumerate(names)}
    unit = scale * board["unit"]
    if board.get("lines"):
        for a, b in board["borders"]:
            ends = [at(board["cells"][i]["at"]) for i in (a, b)]
            yield _Polygon(ends, None, _GREY)
    for cell in board["cells"]:
        for ring in cell.get("outline") or []:
            yield _Polygon([at(p) for p in ring], kinds[cell.get("kind", "")], _GREY)
    for cell in board["cells"]:
        if cell.get("actions"):
            for ring in cell.get("outline") or []:
                yield _Polygon([at(p) for p in ring], None, _LEGAL, 2)
    small = max(7, min(11, int(unit / 4)))
    for cell in board["cells"]:
        (cx, cy), pieces = at(cell["at"]), cell.get("pieces") or []
        label = f"{cell['name']} {cell.get('kind', '')}" if unit > 56 else cell["name"]
        yield _Text((cx, cy - unit * 0.36), _cut(label, small, unit), small, _GREY, middle=True)
        for k, piece in enumerate(pieces):
            px = cx + unit * 0.3 * (k - (len(pieces) - 1) / 2)
            colour, lying = _seat(piece["seat"]), piece.get("lying", False)
            radius = unit * (0.22 if len(pieces) == 1 else 0.14)
            yield _Disc((px, cy + unit * 0.08), radius, None if lying else colour, colour)
            tower = piece["kind"] in ("large", "medium", "small")
            text = piece["kind"][0] if tower else str(piece["count"])
            ink = colour if lying else _PAPER
            yield _Text((px, cy + unit * 0.08), text, small, ink, middle=True)


def _seat(i: int) -> str:
    return _SEATS[i % len(_SEATS)] if i >= 0 else _GREY


def _cut(text: str, size: int, width: float) -> str:
    """The part of a line that fits."""
    most = max(1, int(width / (0.53 * size)))
    return text if len(text) <= most else text[: most - 1] + "…"
