"use strict";
(() => {
    const outcomes = ["failed", "tolerated", "cancelled", "passed", "skipped"];
    const rowsInPiece = 50;
    const runs = [...document.querySelectorAll("script.run")].map((script) => JSON.parse(script.textContent));
    const byId = (id) => document.getElementById(id);
    const [search, rows] = [byId("search"), byId("rows")];

    // MARK: The tree

    // A node is a run (if there are several), a group of steps, or a step. They are in the order in which they are shown.
    const nodes = [];
    runs.forEach((run, index) => addRun(run, index));

    function addRun(run, index) {
        const started = Date.parse(run.startedAt);
        // A run that was paused or resumed may have taken longer than its steps.
        const ended = run.steps.reduce((end, step) => Math.max(end, endOf(step)), started + 1);
        const paths = new Map();
        const inner = { run: index, started, length: ended - started };
        let root = null;
        if (runs.length > 1) root = addNode({ ...inner, path: "", label: run.manifest, outcome: run.outcome }, null);
        for (const step of run.steps) {
            let parent = root;
            for (let dot = step.path.indexOf("."); dot >= 0; dot = step.path.indexOf(".", dot + 1)) {
                const path = step.path.slice(0, dot);
                if (!paths.has(path)) {
                    const label = path.slice(path.lastIndexOf(".") + 1);
                    paths.set(path, addNode({ ...inner, path, label }, parent));
                }
                parent = paths.get(path);
            }
            const words = [step.path, step.name, step.endpoint, step.method, step.url, step.status, step.failure?.message, step.elements];
            const kind = step.group ? { group: step } : { step };
            const node = addNode({ ...inner, path: step.path, label: step.id, ...kind, outcome: step.outcome }, parent);
            node.words = words.filter((word) => word !== undefined).join("\n").toLowerCase();
            // A chain, batch or graph counts only with a failure of its own.
            node.isCounted = !step.group || step.failure !== undefined;
            paths.set(step.path, node);
            if (node.isCounted && !step.isSession) for (let group = parent; group; group = group.parent) {
                group.steps += 1;
                if (!group.outcome || outcomes.indexOf(step.outcome) < outcomes.indexOf(group.outcome)) {
                    group.outcome = step.outcome;
                }
            }
        }
    }

    function addNode(node, parent) {
        Object.assign(node, { parent, depth: parent ? parent.depth + 1 : 1, steps: 0, isOpen: !node.step });
        nodes.push(node);
        return node;
    }

    function endOf(step) {
        return step.startedAt ? Date.parse(step.startedAt) + (step.time?.total ?? 0) : 0;
    }

    // MARK: Which nodes are shown

    const chosen = new Set();
    let shown = [];

    /// Shows what the search and the chosen outcomes select, with all groups open.
    function filter() {
        for (const node of nodes) if (!node.step) node.isOpen = true;
        select();
    }

    function select() {
        const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        const isFiltered = words.length > 0 || chosen.size > 0;
        let count = 0;
        for (const node of nodes) {
            node.isShown = false;
            if (!node.isCounted) continue;
            if (chosen.size > 0 && !chosen.has(node.outcome)) continue;
            if (!words.every((word) => node.words.includes(word))) continue;
            if (!node.step?.isSession) count += 1;
            node.isShown = isInOpenGroups(node);
            for (let group = node.parent; group && !group.isShown; group = group.parent) {
                group.isShown = isInOpenGroups(group);
            }
        }
        shown = nodes.filter((node) => node.isShown);
        layOut();
        const total = nodes.filter((node) => node.isCounted && !node.step?.isSession).length;
        const all = `${total.toLocaleString("en")} step${total === 1 ? "" : "s"}`;
        byId("count").textContent = isFiltered ? `${count.toLocaleString("en")} of ${all}` : all;
    }

    function isInOpenGroups(node) {
        for (let group = node.parent; group; group = group.parent) if (!group.isOpen) return false;
        return true;
    }

    // MARK: Rows, which are made when they are about to be seen

    const observer = new IntersectionObserver((entries) => {
        for (const entry of entries) if (entry.isIntersecting) fill(entry.target);
    }, { rootMargin: "1200px 0px" });

    function layOut() {
        observer.disconnect();
        const pieces = document.createDocumentFragment();
        for (let start = 0; start < shown.length; start += rowsInPiece) {
            const piece = element("div", { className: "rows", role: "presentation" });
            piece.first = start;
            piece.style.setProperty("--count", Math.min(rowsInPiece, shown.length - start));
            pieces.append(piece);
        }
        rows.replaceChildren(pieces);
        for (const piece of rows.children) observer.observe(piece);
    }

    function fill(piece) {
        observer.unobserve(piece);
        if (piece.classList.contains("made")) return;
        piece.classList.add("made");
        const end = Math.min(piece.first + rowsInPiece, shown.length);
        for (let index = piece.first; index < end; index += 1) piece.append(row(shown[index], index));
    }

    function row(node, index) {
        const { step } = node;
        const result = step ?? node.group;
        const line = element("div", { className: `row ${node.outcome ?? ""} ${step ? "step" : "group"}`, role: "listitem" });
        line.setAttribute("aria-level", node.depth);
        line.setAttribute("aria-posinset", index + 1);
        line.setAttribute("aria-setsize", shown.length);
        const button = element("button", { type: "button" });
        button.setAttribute("aria-expanded", node.isOpen);
        const name = element("span", { className: "name" }, printable(node.label));
        name.style.setProperty("--depth", node.depth);
        if (result?.name && result.name !== result.id) name.append(element("small", {}, printable(result.name)));
        if (!step && node.steps > 0) name.append(element("small", {}, `${node.steps.toLocaleString("en")} step${node.steps === 1 ? "" : "s"}`));
        button.append(
            element("span", { className: "outcome" }, node.outcome ?? ""),
            name,
            element("span", { className: "status" }, step?.status ?? ""),
            element("span", { className: "time" }, result?.time ? duration(result.time.total) : ""),
            result?.startedAt ? waterfall(result, node.started, node.length) : element("span", { className: "fall" })
        );
        button.addEventListener("click", () => (step ? toggle(node, line) : collapse(node)));
        line.append(button);
        node.line = line;
        if (step && node.isOpen) line.append(panel(node));
        return line;
    }

    /// The phases of a step as boxes on a scale of `length` milliseconds.
    function waterfall(step, start, length) {
        const fall = element("span", { className: "fall" });
        fall.setAttribute("aria-hidden", "true");
        let offset = step.startedAt ? Date.parse(step.startedAt) - start : 0;
        for (const [phase, time] of phases(step)) {
            const box = element("i", { className: phase });
            box.style.left = `${Math.min((100 * offset) / length, 99.5)}%`;
            box.style.width = `${(100 * time) / length}%`;
            fall.append(box);
            offset += time;
        }
        return fall;
    }

    function phases(step) {
        const time = step.time;
        if (!time) return [];
        // The time of a step with several attempts or pages is that of all, and its phases are those of the last one.
        if (time.firstByte === undefined || step.attempts > 1) return [["whole", time.total]];
        const early = ["dns", "connect", "tls"].map((phase) => [phase, time[phase] ?? 0]);
        const spent = early.reduce((sum, [, part]) => sum + part, 0);
        const wait = Math.max(0, time.firstByte - spent);
        const rest = [["wait", wait], ["receive", Math.max(0, time.total - spent - wait)]];
        return [...early, ...rest].filter(([, part]) => part > 0);
    }

    // MARK: What is known of a step

    function panel(node) {
        const { step } = node;
        const list = element("dl");
        const add = (name, value) => {
            if (value === undefined || value === "") return;
            const shown = value instanceof Node ? value : printable(String(value));
            list.append(element("dt", {}, name), element("dd", {}, shown));
        };
        add("Step", step.path);
        add("Name", step.name);
        add("Endpoint", step.endpoint);
        add("Request", step.method && step.url ? `${step.method} ${step.url}` : undefined);
        add("Status", step.status);
        add("Cache", step.cache);
        add("Requests", step.repetition);
        add("Started", step.startedAt);
        add("Phases", phases(step).map(([phase, time]) => `${phase} ${duration(time)}`).join(", "));
        add("Bytes", step.bytes ? `${step.bytes.sent} sent, ${step.bytes.received} received` : undefined);
        add("Elements", step.elements);
        for (const file of step.files ?? []) add("File", element("a", { href: file.href }, printable(file.name)));
        add("Request body", step.requestBody);
        add("Response body", step.responseBody);
        if (step.failure) {
            const { file, line, column, details } = step.failure;
            const messages = [step.failure.message, ...(details ?? []).map((detail) => detail.message)];
            add("Failure", [...new Set(messages)].join("\n"));
            add("Location", file ? `${file}:${line}:${column}` : undefined);
        }
        const box = element("div", { className: "panel" }, list);
        if (step.time?.total > 0) {
            box.append(waterfall({ ...step, startedAt: undefined }, 0, step.time.total));
        }
        const links = element("p", {}, element("a", { href: hash(node) }, "Link to this step"));
        if (step.failureNumber) {
            links.append(" · ", element("a", { href: `#failure-${step.failureNumber}` }, step.method ? "Request and response" : "Failure"));
        }
        box.append(links);
        return box;
    }

    function toggle(node, line) {
        node.isOpen = !node.isOpen;
        line.firstChild.setAttribute("aria-expanded", node.isOpen);
        if (node.isOpen) {
            line.append(panel(node));
            history.replaceState(null, "", hash(node));
        } else {
            line.lastChild.remove();
        }
    }

    function collapse(node) {
        node.isOpen = !node.isOpen;
        select();
        show(node);
    }

    function hash(node) {
        return `#${runs.length > 1 ? `run=${node.run + 1}&` : ""}step=${encodeURIComponent(node.path)}`;
    }

    // MARK: Links to steps

    /// Makes the rows around a node, scrolls to it if it is not in sight, and focuses it.
    function show(node) {
        const index = shown.indexOf(node);
        if (index < 0) return;
        const piece = rows.children[Math.floor(index / rowsInPiece)];
        fill(piece);
        node.line.scrollIntoView({ block: "nearest" });
        node.line.firstChild.focus({ preventScroll: true });
    }

    function openLinked() {
        const link = new URLSearchParams(location.hash.slice(1));
        if (!link.has("step") && !link.has("run")) return;
        const run = Number(link.get("run") ?? "1") - 1;
        const path = link.get("step") ?? "";
        const node = nodes.find((node) => node.path === path && node.run === run);
        if (!node) return;
        search.value = "";
        chosen.clear();
        pressOutcomes();
        for (let group = node.parent; group; group = group.parent) group.isOpen = true;
        node.isOpen = true;
        select();
        show(node);
    }

    // MARK: Controls

    function pressOutcomes() {
        for (const button of byId("outcomes").children) {
            button.setAttribute("aria-pressed", chosen.has(button.dataset.outcome));
        }
    }

    for (const outcome of outcomes) {
        const count = nodes.filter((node) => node.isCounted && !node.step?.isSession && node.outcome === outcome).length;
        if (count === 0) continue;
        const button = element("button", { type: "button" }, `${outcome} ${count.toLocaleString("en")}`);
        button.dataset.outcome = outcome;
        button.addEventListener("click", () => {
            if (!chosen.delete(outcome)) chosen.add(outcome);
            pressOutcomes();
            filter();
        });
        byId("outcomes").append(button);
    }

    function clearSearch() {
        search.value = "";
        filter();
    }

    search.addEventListener("input", filter);
    byId("tools").addEventListener("submit", (event) => event.preventDefault());
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && search.value) {
            event.preventDefault();
            clearSearch();
        } else if (event.key === "/" && event.target !== search && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            search.focus();
            search.select();
        }
    });
    addEventListener("hashchange", openLinked);

    // MARK: Helpers

    function element(name, properties = {}, ...children) {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(properties)) {
            if (key === "role") made.setAttribute(key, value);
            else made[key] = value;
        }
        made.append(...children);
        return made;
    }

    /// Control characters and marks of direction, which would change how text is shown, as U+FFFD.
    function printable(text) {
        return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
    }

    function duration(milliseconds) {
        if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(milliseconds >= 100000 ? 0 : 2)} s`;
        return `${milliseconds.toFixed(milliseconds >= 100 ? 0 : milliseconds >= 10 ? 1 : 2)} ms`;
    }

    byId("tools").hidden = nodes.length === 0;
    byId("legend").hidden = nodes.length === 0;
    pressOutcomes();
    select();
    openLinked();
})();
