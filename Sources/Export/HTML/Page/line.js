// SPDX-License-Identifier: Apache-2.0
// The lines of graphs: a channel each, or the length of a vector.

const styles = {
  x: { colour: "--x", dash: [] },
  y: { colour: "--y", dash: [7, 3] },
  z: { colour: "--z", dash: [2, 2] },
  "|v|": { colour: "--v", dash: [9, 3, 2, 3] },
};

class Line {
  /** A line of one channel, or of the length of the vector of three, of the samples of a sensor or of the field. */
  constructor(name, columns, base, style = styles[name] || styles.x) {
    this.name = this.sign = name;
    this.base = base;
    this.choose(columns);
    this.isShown = !this.isMagnitude;
    Object.assign(this, style);
  }

  /** Shows these columns from here on. */
  choose(columns) {
    this.columns = columns;
    this.isMagnitude = columns.length > 1;
    this.made = this.madeLevels = undefined;
  }

  /** Takes the unit and the scale of a description, and the digits if it has them. */
  take({ unit, scale, offset, digits }) {
    this.unit = unit;
    this.scale = scale.reduce((product, [top, bottom]) => product * top / bottom, 1);
    this.offset = offset[0] / offset[1];
    this.digits = digits || Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.abs(this.scale)))));
  }

  value(index) {
    return this.count(index) * this.scale + this.offset;
  }

  /** The counts of all samples; a magnitude's are made when they are asked for first. */
  get counts() {
    if (!this.isMagnitude) return this.base.counts[this.columns[0]];
    if (!this.made) {
      const [x, y, z] = this.columns.map(column => this.base.counts[column]);
      this.made = new Float32Array(x.length);
      for (let i = 0; i < x.length; i++) this.made[i] = Math.sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    }
    return this.made;
  }

  /** The count of one sample, without making those of all. */
  count(index) {
    if (!this.isMagnitude || this.made) return this.counts[index];
    return Math.hypot(...this.columns.map(column => this.base.counts[column][index]));
  }

  get levels() {
    if (!this.madeLevels) this.madeLevels = makeLevels(this.counts);
    return this.madeLevels;
  }
}
