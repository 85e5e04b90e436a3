// The winner map: the triangle is cut into small ones, the winner is asked at every corner, and
// where two corners differ the place between them is found by halving. So the lines are smooth at
// any size, and the map is a list of polygons.

const ROWS = { smooth: 56, whole: 112 }; // of small triangles; steps of whole numbers are narrow
const SPARSE = 3; // of rows of whole numbers, one in so many is asked where a name has room
const INSET = 1e-3; // corners on a side of the triangle are asked a little inside: radii meet there
const FLOOR = 2e-4; // of E1, on the lowest side, where radii are infinite
const HALVINGS = 11; // of an edge

// Weights of the corners (1, 0) and (1/2, 1/2); (0, 0) has the rest.
const place = (right, upper) => [right + upper / 2, upper / 2];

function askedAt(right, upper) {
  const most = 1 - 3 * INSET;
  const [r, u] = [INSET + most * right, INSET + most * upper];
  const [e0, e1] = place(r, u);
  return upper === 0 ? [e0, Math.min(FLOOR, e0 / 2)] : [e0, e1];
}

// Names of all that have the largest radius, as "a = b"; "" where all are 0.
function leadersAt(threat, e0, e1, numbers) {
  const radii = threat.compared.map((name) => unitRadius(threat, name, e0, e1, numbers));
  const best = Math.max(...radii);
  if (!(best > 0)) return "";
  const near = best - (1e-7 + 1e-8 * best);
  return threat.compared.filter((_, k) => radii[k] >= near).join(" = ");
}

// A generator: it stops after every row, so that the page stays alive.
function* makeMap(threat, numbers) {
  const rows = threat.whole ? ROWS.whole : ROWS.smooth;
  const winner = (right, upper) => leadersAt(threat, ...askedAt(right, upper), numbers);
  const nodes = new Map();
  const node = (i, j) => {
    const key = i * (rows + 1) + j;
    if (!nodes.has(key)) {
      const [right, upper] = [i / rows, j / rows];
      const sparse = threat.whole && (i % SPARSE || j % SPARSE);
      nodes.set(key, { right, upper, sparse, name: winner(right, upper) });
    }
    return nodes.get(key);
  };
  const cuts = new Map();
  const between = (a, b) => {
    const key = [a, b].map(({ right, upper }) => `${right} ${upper}`).sort().join("|");
    if (!cuts.has(key)) cuts.set(key, findCut(a, b, winner));
    return cuts.get(key);
  };
  const map = { polygons: new Map(), lines: [], nodes };
  for (let j = 0; j < rows; j += 1) {
    const row = [];
    for (let i = 0; i + j < rows; i += 1) {
      row.push([node(i, j), node(i + 1, j), node(i, j + 1)]);
      if (i + j < rows - 1) row.push([node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]);
    }
    addRow(map, row, between);
    yield null;
  }
  return map;
}

function findCut(a, b, winner) {
  let [near, far] = [0, 1];
  const at = (share) => [a.right + share * (b.right - a.right), a.upper + share * (b.upper - a.upper)];
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (near + far) / 2;
    if (winner(...at(middle)) === a.name) near = middle;
    else far = middle;
  }
  return place(...at((near + far) / 2));
}

function addPolygon(map, name, polygon) {
  if (!map.polygons.has(name)) map.polygons.set(name, []);
  map.polygons.get(name).push(polygon);
}

const placeOf = ({ right, upper }) => place(right, upper);

// Cells of one winner that are neighbours are one polygon: from the first one's left side to the
// last one's right side. Corners of a cell that points up: lower left, lower right, top; of one
// that points down: bottom, upper right, upper left.
function addRow(map, row, between) {
  for (let first = 0; first < row.length;) {
    const [{ name }] = row[first];
    const same = (cell) => cell.every((corner) => corner.name === name);
    let next = first;
    while (next < row.length && same(row[next])) next += 1;
    if (next > first) {
      const [left, right] = [row[first], row[next - 1]];
      const down = (next - 1) % 2; // every second cell points down
      const corners = [left[0], down ? right[0] : right[1], down ? right[1] : right[2], left[2]];
      addPolygon(map, name, corners.map(placeOf));
    } else {
      addCell(map, row[first], between);
      next = first + 1;
    }
    first = next;
  }
}

// Cut one small triangle where its corners differ; three winners meet at its middle.
function addCell(map, corners, between) {
  const points = corners.map(placeOf);
  const names = corners.map(({ name }) => name);
  const add = (name, polygon) => addPolygon(map, name, polygon);
  const cut = (k, l) => between(corners[k], corners[l]);
  const odd = [0, 1, 2].find((k) => names[(k + 1) % 3] === names[(k + 2) % 3]);
  if (odd === undefined) {
    const sides = [cut(0, 1), cut(1, 2), cut(2, 0)];
    const middle = [0, 1].map((axis) => (sides[0][axis] + sides[1][axis] + sides[2][axis]) / 3);
    for (const k of [0, 1, 2]) {
      add(names[k], [points[k], sides[k], middle, sides[(k + 2) % 3]]);
      map.lines.push([sides[k], middle]);
    }
    return undefined;
  }
  const [k, l] = [(odd + 1) % 3, (odd + 2) % 3];
  const [one, other] = [cut(odd, k), cut(odd, l)];
  add(names[odd], [points[odd], one, other]);
  add(names[k], [one, points[k], points[l], other]);
  map.lines.push([one, other]);
  return undefined;
}

// Where a region's name has most room: the node of it that is farthest from all others.
function labelPlace(map, name) {
  const asked = [...map.nodes.values()].filter(({ sparse }) => !sparse);
  const spots = asked.map((node) => ({ ...node, at: place(node.right, node.upper) }));
  const others = spots.filter((spot) => spot.name !== name).map((spot) => spot.at);
  let best = { room: 0 };
  for (const { name: own, at: [x, y] } of spots) {
    if (own !== name) continue;
    // To the sides E1 = 0, E0 = E1 and E0 + E1 = 1. A word is wider than high: E1 counts twice.
    let room = Math.min(2 * y, (x - y) * 0.8, (1 - x - y) * 0.8);
    for (let k = 0; k < others.length && room > best.room; k += 1) {
      room = Math.min(room, Math.hypot(others[k][0] - x, 2 * (others[k][1] - y)));
    }
    if (room > best.room) best = { room, at: [x, y] };
  }
  return best;
}
