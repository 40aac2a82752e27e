// Without this script, everything is shown, and the browser's own search finds it.
const field = document.querySelector(".search");
field.hidden = false;
field.addEventListener("input", ({target}) => {
  const words = target.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const row of document.querySelectorAll(".searched tbody > tr")) {
    const text = `${row.closest(".file")?.dataset.name ?? ""} ${row.textContent}`.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
    found += !row.hidden;
  }
  for (const file of document.querySelectorAll(".file")) {
    file.hidden = !file.querySelector("tbody > tr:not([hidden])");
    file.open = words.length > 0 && !file.hidden;
  }
  field.querySelector("output").textContent = words.length ? `${found} found` : "";
});
