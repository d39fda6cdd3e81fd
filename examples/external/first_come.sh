#!/bin/sh
# First come, first served, with the first window for each job: what the policy `FirstWindow` does, in awk.
#
# gridloom starts it by `External(command: ["sh", "first_come.sh"])` and talks to it by lines of JSON: see the guide,
# "Your own policy". Numbers are kept in whole millionths, as gridloom does, so that nothing is rounded otherwise. It
# takes jobs as rigid, the rule of runtimes to be `Reference`, and a budget for the whole window.

# mawk waits for more input than a line, unless it is told not to.
case $(awk -W version 2>&1 </dev/null) in mawk*) set -- -W interactive ;; *) set -- ;; esac

exec awk "$@" '
# The number (or null) of a field in a piece of JSON without nested objects.
function field(text, name,    at) {
    at = index(text, "\"" name "\":")
    if (at == 0) return "null"
    text = substr(text, at + length(name) + 3)
    sub(/[,}\]].*/, "", text)
    return text
}
function ticks(number) { return int(number * 1000000 + 0.5) }
# The quotient of whole numbers, rounded up.
function up(dividend, divisor,    whole) {
    whole = int(dividend / divisor)
    while (whole * divisor >= dividend) whole--
    while (whole * divisor < dividend) whole++
    return whole
}
# The part of the message that lists something: its elements in `items`, and their number.
function items_of(line, name, items,    at) {
    at = index(line, "\"" name "\":[")
    line = substr(line, at + length(name) + 4)
    sub(/\].*/, "", line)
    if (line == "") return 0
    return split(line, items, "},")
}
# Looks for a window of a job; sets start and taken[], and returns the number of nodes.
function first_window(wanted, work, least, budget, deadline,    i, j, n, found, total) {
    n = 0; start = -1
    for (i = 1; i <= slots + 1; i++) {
        if (i > slots || begins[i] != start) {
            if (n >= wanted) {
                total = 0
                for (j = 1; j <= wanted; j++) total += cost[j]
                if (total <= budget) {
                    for (j = 1; j <= wanted; j++) { taken[j] = who[j]; until[j] = start + takes[j] }
                    return wanted
                }
            }
            if (i > slots) return 0
            start = begins[i]
            found = 0
            for (j = 1; j <= n; j++) if (latest[j] >= start) { found++; put(found, cost[j], who[j], takes[j], latest[j]) }
            n = found
        }
        if (performance[node[i]] < least) continue
        time = up(work * 1000000, performance[node[i]])
        last = (ends[i] < deadline ? ends[i] : deadline) - time
        if (last < begins[i]) continue
        price_of = int((price[node[i]] * time + 500000) / 1000000)
        # The cheapest first, and the lower node of two.
        for (j = n; j >= 1 && (cost[j] > price_of || (cost[j] == price_of && who[j] > node[i])); j--)
            put(j + 1, cost[j], who[j], takes[j], latest[j])
        put(j + 1, price_of, node[i], time, last)
        n++
    }
}
function put(j, a, b, c, d) { cost[j] = a; who[j] = b; takes[j] = c; latest[j] = d }
# Puts a slot into the list, which is ordered by start and node.
function add(from, which, to,    i) {
    for (i = slots; i >= 1 && (begins[i] > from || (begins[i] == from && node[i] > which)); i--) {
        begins[i + 1] = begins[i]; node[i + 1] = node[i]; ends[i + 1] = ends[i]
    }
    begins[i + 1] = from; node[i + 1] = which; ends[i + 1] = to; slots++
}
# Takes [start, to) on a node out of the list.
function take(which, to,    i, from, end) {
    for (i = 1; i <= slots; i++) if (node[i] == which && begins[i] <= start && ends[i] >= to) break
    from = begins[i]; end = ends[i]
    for (; i < slots; i++) { begins[i] = begins[i + 1]; node[i] = node[i + 1]; ends[i] = ends[i + 1] }
    slots--
    if (from < start) add(from, which, start)
    if (to < end) add(to, which, end)
}
index($0, "{\"message\":\"start\"") == 1 {
    n = items_of($0, "nodes", piece)
    # `"nodes":[` is the list of all nodes; domains have a plain number there.
    for (i = 1; i <= n; i++) {
        performance[i - 1] = ticks(field(piece[i], "performance")); price[i - 1] = ticks(field(piece[i], "price"))
    }
}
index($0, "{\"message\":\"decide\"") == 1 {
    n = items_of($0, "prices", piece)
    for (i = 1; i <= n; i++) price[field(piece[i], "node")] = ticks(field(piece[i], "price"))
    slots = items_of($0, "slots", piece)
    for (i = 1; i <= slots; i++) {
        node[i] = field(piece[i], "node") + 0; begins[i] = ticks(field(piece[i], "start")); ends[i] = ticks(field(piece[i], "end"))
    }
    jobs = items_of($0, "queue", waiting)
    answer = ""
    for (job = 1; job <= jobs; job++) {
        due = field(waiting[job], "deadline")
        wanted = first_window(field(waiting[job], "nodes") + 0, ticks(field(waiting[job], "length")),
            ticks(field(waiting[job], "min_performance")), ticks(field(waiting[job], "budget")), due == "null" ? 1e300 : ticks(due))
        if (wanted == 0) continue
        answer = answer (answer == "" ? "" : ",") sprintf("{\"job\":%d,\"start\":%.6f,\"nodes\":[", field(waiting[job], "id"), start / 1000000)
        for (j = 1; j <= wanted; j++) { take(taken[j], until[j]); answer = answer (j > 1 ? "," : "") taken[j] }
        answer = answer "]}"
    }
    print "{\"reserve\":[" answer "]}"
    fflush()
}
index($0, "{\"message\":\"end\"") == 1 { exit }
'
