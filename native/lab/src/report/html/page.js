// One pointer for all charts: the same moment in each, and what each shows there.
(() => {
  const charts = [...document.querySelectorAll("figure.chart")].map((figure) => {
    const svg = figure.querySelector("svg"), number = (name) => Number(svg.dataset[name]);
    return {
      svg, timed: svg.dataset.timed === "true", left: number("left"), right: number("right"), end: number("end"),
      cursor: svg.querySelector(".cursor"), readout: figure.querySelector(".readout"),
      series: JSON.parse(figure.querySelector(".values").textContent),
    };
  });
  const at = (points, x) => points.reduce((best, point) => {
    const off = Math.abs((point[0] + point[1]) / 2 - x);
    return !best || off < best[0] ? [off, point[2]] : best;
  }, null);
  const show = (chart, x) => {
    const px = chart.left + (x / chart.end) * (chart.right - chart.left);
    chart.cursor.setAttribute("visibility", "visible");
    chart.cursor.setAttribute("x1", px);
    chart.cursor.setAttribute("x2", px);
    chart.readout.replaceChildren(...chart.series.flatMap(([name, kind, points]) => {
      const near = at(points, x);
      if (!near) return [];
      const word = document.createElement("span");
      word.className = kind;
      word.textContent = `${name} ${near[1]}`;
      return [word];
    }));
  };
  const hide = (chart) => {
    chart.cursor.setAttribute("visibility", "hidden");
    chart.readout.replaceChildren();
  };
  for (const chart of charts) {
    const fellows = chart.timed ? charts.filter((other) => other.timed) : [chart];
    chart.svg.addEventListener("pointermove", (event) => {
      const box = chart.svg.getBoundingClientRect();
      const px = ((event.clientX - box.left) / box.width) * chart.svg.viewBox.baseVal.width;
      const x = ((px - chart.left) / (chart.right - chart.left)) * chart.end;
      fellows.forEach((other) => (x >= 0 && x <= other.end ? show(other, x) : hide(other)));
    });
    chart.svg.addEventListener("pointerleave", () => fellows.forEach(hide));
  }
})();
