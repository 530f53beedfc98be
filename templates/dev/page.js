// What is wrong with the project, asked for every second. Texts of files are only ever shown as text.
const state = document.getElementById("state");
const problems = document.getElementById("problems");
const routes = document.getElementById("routes");
let shown = "";
let version;

function paragraph(text, name) {
  const element = document.createElement("p");
  element.textContent = text;
  if (name) element.className = name;
  return element;
}

function card(severity, place, message, hint, frame) {
  const element = document.createElement("article");
  element.className = severity;
  element.append(paragraph(place, "place"), paragraph(message));
  if (frame) {
    const lines = document.createElement("pre");
    lines.textContent = frame;
    element.append(lines);
  }
  if (hint) element.append(paragraph(`hint: ${hint}`));
  return element;
}

function tableRow(kind, texts) {
  const row = document.createElement("tr");
  for (const text of texts) {
    const cell = document.createElement(kind);
    cell.textContent = text;
    row.append(cell);
  }
  return row;
}

function show(found) {
  const served = found.version === 0 ? "nothing is served yet" : `version ${found.version} is served`;
  state.textContent = found.isBroken ? `${served}; what was saved last is not` : served;
  problems.replaceChildren(
    ...found.unmet.map((need) => card("error", "cannot be served", need)),
    ...found.diagnostics.map((each) =>
      card(each.severity, `${each.file}:${each.line}:${each.column} ${each.severity} ${each.code}`, each.message, each.hint, each.frame),
    ),
  );
  const rows = found.routes.map((route) => tableRow("td", [route.method, route.path, route.interface, route.config, route.at ?? ""]));
  const heads = rows.length === 0 ? [] : [tableRow("th", ["Method", "Path", "Interface", "Configuration", "Where"])];
  routes.replaceChildren(...heads, ...rows);
}

async function ask() {
  try {
    const text = await (await fetch("/_pipewright/dev.json")).text();
    if (text !== shown) {
      const found = JSON.parse(text);
      show(found);
      // The page that was asked for is there now.
      if (
        version !== undefined &&
        !found.isBroken &&
        location.pathname !== "/_pipewright/dev" &&
        (location.pathname !== "/" || found.routes.some(({ path }) => path === "/"))
      )
        location.reload();
      version = found.version;
      shown = text;
    }
  } catch {
    state.textContent = "pipewright does not answer";
    shown = "";
  }
  setTimeout(ask, 1000);
}

void ask();
