/**
 * Points in the plane in a quadtree, so that a far group of them counts as one (Barnes and Hut). Nodes lie in preorder,
 * each with the index of the first node behind its subtree: a walk needs no stack, and goes forward through memory.
 */
const deepest = 48; // halvings; points closer than that share a leaf

export class Quadtree {
  private nodes = 0;
  /** Of each node x and y of its centre of mass, its mass, and its squared side: 0 for a leaf, which always counts as one. */
  private readonly cells: Float64Array;
  private readonly behind: Int32Array;
  /** The points in tree order: neighbours visit nearly the same nodes, which then are in the processor's caches. */
  readonly order: Int32Array;
  private points: Float64Array = new Float64Array(0);

  constructor(private readonly count: number) {
    // Every leaf has a point, and every inner node at least two children.
    const room = 2 * count;
    this.cells = new Float64Array(4 * room);
    this.behind = new Int32Array(room);
    this.order = Int32Array.from({ length: count }, (_, i) => i);
  }

  /** Builds the tree of points (2 n), x and y in turn. */
  build(points: Float64Array): void {
    this.points = points;
    this.nodes = 0;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < this.count; i++) {
      const [px, py] = [points[2 * i], points[2 * i + 1]];
      if (px < left) left = px;
      if (px > right) right = px;
      if (py < top) top = py;
      if (py > bottom) bottom = py;
    }
    const side = Math.max(right - left, bottom - top);
    this.add(0, this.count, (left + right) / 2, (top + bottom) / 2, side, 0);
  }

  private add(from: number, to: number, middleX: number, middleY: number, side: number, depth: number): void {
    const { points, order } = this;
    let [sumX, sumY] = [0, 0];
    for (let k = from; k < to; k++) {
      sumX += points[2 * order[k]];
      sumY += points[2 * order[k] + 1];
    }
    // A cell in which all points fall into one quarter says nothing new: the walk goes straight to that quarter.
    for (; depth < deepest && to - from > 1; depth++) {
      const across = this.split(from, to, 1, middleY);
      const upper = this.split(from, across, 0, middleX);
      const lower = this.split(across, to, 0, middleX);
      const quarter = side / 4;
      const parts = [
        [from, upper, -1, -1],
        [upper, across, 1, -1],
        [across, lower, -1, 1],
        [lower, to, 1, 1],
      ].filter(([start, end]) => end > start);
      if (parts.length > 1) {
        const node = this.put(sumX, sumY, to - from, side * side);
        for (const [start, end, right, down] of parts)
          this.add(start, end, middleX + right * quarter, middleY + down * quarter, side / 2, depth + 1);
        this.behind[node] = this.nodes;
        return;
      }
      const [[, , right, down]] = parts;
      middleX += right * quarter;
      middleY += down * quarter;
      side /= 2;
    }
    const leaf = this.put(sumX, sumY, to - from, 0);
    this.behind[leaf] = this.nodes;
  }

  private put(sumX: number, sumY: number, mass: number, squaredSide: number): number {
    const node = this.nodes++;
    this.cells[4 * node] = sumX / mass;
    this.cells[4 * node + 1] = sumY / mass;
    this.cells[4 * node + 2] = mass;
    this.cells[4 * node + 3] = squaredSide;
    return node;
  }

  /** Brings those of order[from .. to) below the middle along one axis to the front; returns where the others begin. */
  private split(from: number, to: number, axis: 0 | 1, middle: number): number {
    const { points, order } = this;
    let front = from;
    for (let k = from; k < to; k++) {
      const index = order[k];
      if (points[2 * index + axis] < middle) {
        order[k] = order[front];
        order[front++] = index;
      }
    }
    return front;
  }

  /**
   * With w = 1 / (1 + d^2) for the distance d to another point: adds sum w^2 (y_i - y_j) over all others to force[2 i] and
   * force[2 i + 1], and returns sum w. A cell counts as one when its side is below `theta` times its distance; below
   * 0.7 that is never the cell in which the point itself lies. With theta 0 the sums are exact.
   */
  repel(i: number, theta: number, force: Float64Array): number {
    const { cells, behind, nodes } = this;
    const [px, py] = [this.points[2 * i], this.points[2 * i + 1]];
    const limit = theta * theta;
    let [sum, forceX, forceY] = [0, 0, 0];
    for (let node = 0; node < nodes;) {
      const dx = px - cells[4 * node];
      const dy = py - cells[4 * node + 1];
      const squared = dx * dx + dy * dy;
      const side = cells[4 * node + 3];
      if (side === 0 || side < limit * squared) {
        const w = 1 / (1 + squared);
        const weight = cells[4 * node + 2] * w;
        sum += weight;
        forceX += weight * w * dx;
        forceY += weight * w * dy;
        node = behind[node];
      } else node += 1;
    }
    force[2 * i] += forceX;
    force[2 * i + 1] += forceY;
    return sum - 1; // its own leaf counted it too, with w = 1 and no force
  }
}
