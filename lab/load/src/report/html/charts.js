// Draws the charts of the page with uPlot. Charts over time share one cursor and one zoom.
"use strict";
(() => {
  const root = document.documentElement;
  const color = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
  const font = "11.5px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

  // Three significant digits, as the tables have them.
  const digits = (value) => {
    const size = Math.abs(value);
    const places = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 || size === 0 ? 2 : 3;
    return String(Number(value.toFixed(places)));
  };
  const scaled = (value, steps, units) => {
    let at = 0;
    while (at + 1 < units.length && Math.abs(value) >= steps * 0.9995) {
      value /= steps;
      at += 1;
    }
    return digits(value) + units[at];
  };
  const bytes = (value) => scaled(value, 1024, [" B", " KiB", " MiB", " GiB", " TiB"]);
  const formats = {
    number: (value) => scaled(value, 1000, ["", " k", " M", " G"]),
    ms: (value) => (value === 0 ? "0" : scaled(value * 1e3, 1000, [" µs", " ms", " s"])),
    bytes,
    bytes_per_s: (value) => `${bytes(value)}/s`,
  };
  const two = (value) => String(value).padStart(2, "0");
  const clock = (seconds, step) => {
    if (step < 1) return `${digits(seconds)} s`;
    const whole = Math.round(seconds);
    if (whole < 60) return `${whole} s`;
    const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
    return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
  };
  const percentile = (nines) => `P${Number((100 - 100 / 10 ** nines).toPrecision(6))}`;
  const nines = [0, 50, 90, 99, 99.9, 99.99, 99.999].map((each) => Math.log10(100 / (100 - each)));

  // The horizontal axes: the word before a value, and how a value is written.
  const axes = {
    time: { word: "at", value: (chart) => (value) => clock(value, chart.end < 10 ? 0.1 : 1) },
    own_time: { word: "at", value: (chart) => (value) => clock(value, chart.end < 10 ? 0.1 : 1) },
    nines: { word: "percentile", value: () => percentile },
    in_flight: { word: "in flight", value: () => String },
    price: { word: "an hour", value: () => digits },
    nodes: { word: "nodes", value: () => digits },
  };
  // A mark at each value that was measured; not so near to the one before that they touch.
  const measured = (chart) => {
    const all = [...new Set(chart.series.flatMap((series) => series.x))].sort((one, other) => one - other);
    const room = Math.log(chart.end / chart.start) / 24;
    return all.reduce((kept, each) => (kept.length && Math.log(each / kept.at(-1)) < room ? kept : [...kept, each]), []);
  };

  const steps = {
    time: [0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400],
    bytes: Array.from({ length: 50 }, (_, power) => 2 ** power),
  };

  const drawn = (series) => {
    const stroke = () => color(series.color);
    const bars = series.style === "bars", area = series.style === "area", alone = series.style === "points";
    return {
      label: series.name,
      stroke,
      fill: bars ? () => `${stroke()}d0` : area ? () => `${stroke()}26` : undefined,
      width: bars ? 0 : { thin: 1, dashed: 1.2 }[series.style] ?? 1.8,
      dash: series.style === "dashed" ? [6, 4] : undefined,
      paths: bars ? uPlot.paths.bars({ size: [0.9, 40, 1.5] }) : alone ? () => null : undefined,
      points: { show: alone || series.x.length === 1, size: alone ? 9 : 5, fill: stroke },
    };
  };

  // From one digit below to one digit above; bars are to have a length.
  const digit = (value, round) => round(value / 10 ** Math.floor(Math.log10(value))) * 10 ** Math.floor(Math.log10(value));
  const logarithmic = (chart, low, high) => {
    if (low == null) return [0.1, 10];
    const bars = chart.series.some((series) => series.style === "bars");
    return [digit((bars ? Math.min(low, 1) : low) * 0.9, Math.floor), digit(high * 1.1, Math.ceil)];
  };

  // The nearest point that is of this series: servers have times of their own.
  const nearest = (plot, series, at) => {
    const values = plot.data[series];
    for (let off = 0; off < values.length; off += 1) {
      if (values[at - off] !== undefined) return at - off;
      if (values[at + off] !== undefined) return at + off;
    }
    return null;
  };

  const marks = (chart) => {
    const within = (all) => (_, __, from, to) => all.filter((each) => each >= from - 1e-9 && each <= to + 1e-9);
    return { nines: within(nines), in_flight: within(measured(chart)) }[chart.across];
  };

  // Dashed lines with words at their tops; words that would run into each other go one line down.
  const marked = (chart) => (plot) => {
    const { ctx, bbox } = plot, ratio = devicePixelRatio;
    ctx.save();
    ctx.font = font.replace(/^[0-9.]+/, (size) => size * ratio);
    [ctx.strokeStyle, ctx.fillStyle, ctx.lineWidth] = [color("soft"), color("ink"), ratio];
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    const ends = [];
    chart.marks.forEach(([at, words]) => {
      const x = plot.valToPos(at, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) return;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const line = Math.max(0, [...Array(ends.length + 1).keys()].find((each) => (ends[each] ?? 0) <= x));
      ctx.fillText(words, x + 4 * ratio, bbox.top + (12 + 14 * line) * ratio);
      ends[line] = x + ctx.measureText(words).width + 10 * ratio;
    });
    ctx.restore();
  };

  const options = (chart, caption, width) => {
    const number = formats[chart.quantity], across = axes[chart.across].value(chart);
    const timed = chart.across.endsWith("time"), counted = chart.across === "in_flight";
    const soft = () => color("soft"), grid = { stroke: () => color("faint"), width: 1 };
    const axis = { stroke: soft, grid, font, ticks: { show: false } };
    const shown = (value, words) => (value == null ? "" : words(value));
    return {
      width,
      height: chart.height,
      padding: [8, 26, 0, 0],
      hooks: { draw: chart.marks.length ? [marked(chart)] : [] },
      cursor: {
        y: false,
        dataIdx: (plot, series, at) => (series ? nearest(plot, series, at) : at),
        points: { size: 6, width: 0 },
        sync: chart.across === "time" ? { key: "time", scales: ["x", null] } : undefined,
      },
      legend: {
        mount: (_, table) => caption.append(table),
        markers: { width: 0, fill: (_, series) => `var(--${chart.series[series - 1]?.color})` },
      },
      scales: {
        x: { time: false, distr: counted ? 3 : 1, range: (_, from, to) => [from, to] },
        y: {
          distr: chart.log ? 3 : 1,
          range: (_, low, high) => (chart.log ? logarithmic(chart, low, high) : [0, high > 0 ? high * 1.06 : 1]),
        },
      },
      axes: [
        {
          ...axis,
          size: 26,
          gap: 6,
          incrs: timed ? steps.time : undefined,
          splits: marks(chart),
          filter: counted ? (_, splits) => splits : undefined,
          values: (_, splits) => {
            const step = splits.length > 1 ? splits[1] - splits[0] : 1;
            return splits.map((split) => (timed ? clock(split, step) : across(split)));
          },
        },
        {
          ...axis,
          size: 70,
          gap: 8,
          space: chart.log ? 24 : 28,
          incrs: chart.quantity.startsWith("bytes") ? steps.bytes : undefined,
          values: (_, splits) => splits.map((split) => (split == null ? "" : number(split))),
        },
      ],
      series: [
        { label: axes[chart.across].word, value: (_, value) => shown(value, across) },
        ...chart.series.map((series) => {
          // A bar that is not there is zero, also on a log scale.
          const none = series.style === "bars" ? 0 : null;
          return { ...drawn(series), value: (_, value) => shown(value ?? none, number) };
        }),
      ],
    };
  };

  // One column of x for all series; both ends of the axis are in it, so that all charts over time begin and end alike.
  const columns = (chart) => {
    const known = (value) => (chart.log && value !== null && value <= 0 ? null : value);
    const series = chart.series.map((each) => [each.x, each.y.map(known)]);
    const ends = [[chart.start, chart.end], [undefined, undefined]];
    return uPlot.join([...series, ends]).slice(0, -1);
  };

  const plots = [];
  const draw = (figure) => {
    const place = figure.querySelector(".plot"), width = place.clientWidth;
    // Within a closed part of the page there is no room yet.
    if (width === 0) return;
    if (figure.plot) {
      figure.plot.setSize({ width, height: figure.plot.height });
      return;
    }
    const chart = JSON.parse(figure.querySelector("script").textContent);
    figure.plot = new uPlot(options(chart, figure.querySelector("figcaption"), width), columns(chart), place);
    figure.plot.over.addEventListener("mouseenter", () => root.classList.add("pointing"));
    figure.plot.over.addEventListener("mouseleave", () => root.classList.remove("pointing"));
    plots.push(figure.plot);
  };
  const sizes = new ResizeObserver((entries) => {
    requestAnimationFrame(() => entries.forEach((entry) => draw(entry.target)));
  });
  document.querySelectorAll("figure.chart").forEach((figure) => {
    draw(figure);
    sizes.observe(figure);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plots.forEach((plot) => plot.redraw()));
})();
