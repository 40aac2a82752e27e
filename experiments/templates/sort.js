// Without this script, tables keep their own order, and the contents close by a tap beside them.
const value = (row, column) => {
  const text = row.cells[column]?.textContent.trim() ?? "";
  const number = parseFloat(text.replace("\u2212", "-"));
  return Number.isNaN(number) ? text.toLowerCase() : number;
};
const compare = (one, other) => typeof one === typeof other ? (one > other) - (one < other) : typeof one === "number" ? -1 : 1;
for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.ariaSort !== "ascending";
      for (const one of table.tHead.rows[0].cells) one.ariaSort = null;
      head.ariaSort = up ? "ascending" : "descending";
      for (const body of table.tBodies) {
        const rows = [...body.rows].filter(row => !row.classList.contains("group"));
        rows.sort((one, other) => (up ? 1 : -1) * compare(value(one, column), value(other, column)));
        body.append(...rows);
      }
    });
  });
}
document.querySelector("#contents").addEventListener("click", ({target, currentTarget}) => {
  if (target.closest("a") && currentTarget.matches(":popover-open")) currentTarget.hidePopover();
});
