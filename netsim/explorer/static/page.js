"use strict";
// Fields and buttons send their requests to the program one at a time. The answer replaces the page element by element,
// so that the focus stays and a slider can be dragged.

const waiting = [];
const written = new WeakSet();  // text fields with something that has not been sent; the answers don't know of it
let asking = false;

function send(ask, live) {
  const last = waiting[waiting.length - 1];
  if (live && last && last.do === ask.do && last.address === ask.address) waiting.pop();
  waiting.push(ask);
  if (!asking) next();
}

async function next() {
  asking = true;
  let busy = false;
  while (waiting.length) {
    try {
      const answer = await fetch("do", {
        method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(waiting.shift()),
      });
      if (!answer.ok) throw new Error(await answer.text());
      const found = await answer.json();
      busy = found.busy;
      show(found);
    } catch (error) {
      waiting.length = 0;
      tell(error instanceof TypeError ? "netsim explore has ended; start it again" : error.message);
    }
  }
  asking = false;
  if (busy) setTimeout(() => { if (!asking) send({do: "look"}); }, 250);
}

function show(found) {
  const held = document.activeElement;
  for (const [name, html] of Object.entries(found.parts)) {
    const old = document.getElementById(name), made = old.cloneNode(false);
    made.innerHTML = html;
    follow(old, made);
  }
  if (held && !held.isConnected) document.getElementById(held.dataset.then)?.focus();
  const said = document.getElementById("said");
  if (said.textContent !== found.said) said.textContent = found.said;
  tell(found.problem);
  document.documentElement.dataset.answers = 1 + Number(document.documentElement.dataset.answers || 0);
}

function tell(problem) {
  const place = document.getElementById("problem");
  place.textContent = problem;
  place.hidden = !problem;
}

// Turns `old` into `made`, and keeps every element that is in both.
function follow(old, made) {
  for (const {name, value} of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const {name} of [...old.attributes]) if (!made.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  const known = new Map([...old.children].filter(one => one.id).map(one => [one.id, one]));
  let place = old.firstChild;
  for (const one of [...made.childNodes]) {
    const same = one.id ? known.get(one.id) : place && isLike(place, one) ? place : null;
    if (!same) {
      old.insertBefore(one, place);
      continue;
    }
    if (same !== place) old.insertBefore(same, place);
    place = same.nextSibling;
    if (same.nodeType !== Node.ELEMENT_NODE) {
      if (same.nodeValue !== one.nodeValue) same.nodeValue = one.nodeValue;
    } else follow(same, one);
  }
  while (place) { const gone = place; place = place.nextSibling; gone.remove(); }
  if (old.matches("input, select") && !(old === document.activeElement && isBeingChanged(old))) {
    const value = made.matches("select") ? made.value : made.getAttribute("value");
    if (old.value !== value) old.value = value;
  }
}

const isLike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName && !one.id;
const isBeingChanged = field => field.type === "search" || (field.type === "range" && waiting.length > 0)
  || (field.type === "text" && written.has(field));

document.addEventListener("input", event => {
  const field = event.target;
  if (field.matches("[data-do][data-live]")) ask(field, true);
  else if (field.type === "text") written.add(field);
});
document.addEventListener("change", event => {
  const field = event.target;
  written.delete(field);
  if (field.matches("select[data-do], input[data-do]:not([data-live])")) ask(field, false);
});
document.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.do) ask(button, false);
  else if (button.dataset.copy) copy(button);
  else if (button.dataset.save) save(button);
});

function ask(element, live) {
  send({do: element.dataset.do, address: element.dataset.address || "", value: element.value || ""}, live);
}

async function copy(button) {
  const text = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(text);
    button.textContent = "Selected; copy with Ctrl-C";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

function save(button) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([document.getElementById(button.dataset.save).textContent]));
  link.download = button.dataset.file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
