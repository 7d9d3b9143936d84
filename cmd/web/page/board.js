// Replaced by the drawing of scenes.
export function drawBoard() {}
