"""A link of linklab's as a profile of Headwind's."""

WAYS = ("down", "up")
# What a profile says by one number for both directions, as linklab's key and in words.
SHARED = {"dist": "jitter distribution", "jitter": "jitter", "delay": "delay"}
# A queue without a limit, as nearly as a profile can say it.
ENDLESS_BYTES = 1_000_000_000


class NoSuchPath(Exception):
    """The link has something that a profile can't say."""


def of_link(link, name, model="tcp", congestion_control="cubic"):
    """The profile as a dictionary. Plain paths have neither loss nor a queue's limit: they are left out there."""
    down, up = (link[way] for way in WAYS)
    if down["reorder"] or up["reorder"]:
        raise NoSuchPath("packets that overtake each other")
    for key, words in SHARED.items():
        if down[key] != up[key] and (key != "dist" or down["jitter"] or up["jitter"]):
            raise NoSuchPath(f"a {words} that differs between the directions: {down[key]} and {up[key]}")
    is_modelled = bool(down["rate"] or up["rate"] or down["delay"])
    path = {"model": model} if is_modelled else {}
    path |= {"latency_ms": down["delay"] + up["delay"], "jitter_ms": down["jitter"] + up["jitter"]}
    for way, key in zip((down, up), ("downstream", "upstream")):
        if way["rate"]:
            path[f"{key}_bytes_per_second"] = _whole(way["rate"] / 8, f"{key} rate in bytes per second")
    if is_modelled and model == "tcp":
        path |= _queue(down, up) | _loss(down, up) | _sender(down, congestion_control)
    return {"name": name, "summary": link.get("note") or f"linklab's {link.get('name', 'link')}",
            "source": "linklab", "path": path}


def _whole(value, what):
    if value != int(value):
        raise NoSuchPath(f"{what} that is no whole number: {value}")
    return int(value)


def _sender(down, congestion_control):
    said = {} if congestion_control == "cubic" else {"congestion_control": congestion_control}
    return said | ({"jitter_distribution": down["dist"]} if down["jitter"] else {})


def _queue(down, up):
    """One number says it for both directions: bytes, or where these differ the time they take at the rate."""
    limited = [way for way in (down, up) if way["rate"]]
    if not limited:
        return {}
    sizes = {way["queue"] or ENDLESS_BYTES for way in limited}
    if len(sizes) == 1:
        return {"queue_bytes": _whole(sizes.pop(), "queue in bytes")}
    times = {way["queue"] * 8000 / way["rate"] for way in limited}
    if len(times) == 1:
        return {"queue_ms": times.pop()}
    raise NoSuchPath(f"queues that differ in bytes and in time: {down['queue']} and {up['queue']} bytes")


def _loss(down, up):
    said = {}
    for way, key in ((down, "downstream_loss"), (up, "upstream_loss")):
        if way["ge"] and way["loss"]:
            raise NoSuchPath("bursts and random loss in one direction")
        if way["ge"]:
            said[key] = dict(zip(("p", "r", "1-h", "1-k"), way["ge"]))
        elif way["loss"]:
            said[key] = way["loss"]
    return said
