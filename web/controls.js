// The controls of options, made of the server's description of them.
// SPDX-License-Identifier: Apache-2.0

const held = 400; // ms after a change in which what the server says of a control waits

function element(tag, properties, parent) {
  const e = Object.assign(document.createElement(tag), properties);
  if (parent) parent.append(e);
  return e;
}

export class Controls {
  constructor(parent, set) {
    this.parent = parent;
    this.set = set;
    this.inputs = new Map(); // name: the inputs of it
    this.touched = new Map(); // name: when
  }

  change(name, value) {
    this.touched.set(name, performance.now());
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.last && this.show(this.last), held + 50);
    this.set(name, value);
  }

  make(control) {
    const { name } = control, row = element('div', { className: 'row', title: control.doc }, this.parent);
    const id = `option-${name}`;
    element('label', { htmlFor: id, textContent: name + (control.unit ? ` (${control.unit})` : '') }, row);
    const own = { id, name };
    if (control.type === 'number') {
      const range = element('input', { type: 'range', min: control.low, max: control.high, step: control.step, ...own }, row);
      const number = element('input', { type: 'number', step: 'any', ariaLabel: name }, row);
      range.oninput = () => this.change(name, (number.value = range.value));
      number.onchange = () => number.value !== '' && this.change(name, (range.value = number.value, number.value));
      return [range, number];
    }
    if (control.type === 'flag') {
      const box = element('input', { type: 'checkbox', ...own }, row);
      box.onchange = () => this.change(name, box.checked ? 'true' : 'false');
      return [box];
    }
    const select = element('select', own, row);
    select.onchange = () => this.change(name, select.value);
    return [select];
  }

  show(controls, force) {
    this.last = controls;
    for (const control of controls) {
      const { name, value } = control;
      if (!this.inputs.has(name)) this.inputs.set(name, this.make(control));
      if (!force && performance.now() - (this.touched.get(name) ?? -Infinity) < held) continue;
      for (const input of this.inputs.get(name)) {
        if (control.type === 'choice') this.fill(input, control);
        if (control.type === 'flag') input.checked = value === 'true';
        else if (input.value !== value) input.value = value;
      }
    }
  }

  /** The usual choices, and what a command line gave beyond them. */
  fill(select, { name, choices, value }) {
    const all = choices.includes(value) ? choices : [...choices, value];
    if ([...select.options].map((o) => o.value).join() === all.join()) return;
    select.replaceChildren(...all.map((c) => new Option(c || (name === 'variant' ? 'the fastest' : 'default'), c)));
  }
}
