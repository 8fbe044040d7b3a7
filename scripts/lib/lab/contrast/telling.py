"""What the API says about mistakes."""

from ..peers import Listener
from .case import Group, Seen

group = Group("telling", "Answers that say what is wrong")


def body_words(answer):
    kind = (answer.headers.get("Content-Type") or "no content type").partition(";")[0]
    text = answer.body.decode().strip()
    return f"{answer.status} {kind} `{text}`" if text else f"{answer.status}, empty"


def is_json_error(answer, status):
    return (answer.status == status and isinstance(answer.json, dict) and answer.json.get("status") == status
            and answer.headers.get("Content-Type") == "application/json")


@group.case("error-path", "A path that doesn't exist")
def error_path(contestant):
    with contestant.start() as server:
        answer = server.call("GET", "/proxy")
        return Seen(body_words(answer), is_json_error(answer, 404))


@group.case("error-method", "A method that the path doesn't have (`PUT /proxies`)")
def error_method(contestant):
    with contestant.start() as server:
        answer = server.call("PUT", "/proxies")
        allow = answer.headers.get("Allow")
        return Seen(body_words(answer) + (f", `Allow: {allow}`" if allow else ""), is_json_error(answer, 405) and allow)


@group.case("error-type", "A proxy that doesn't exist")
def error_type(contestant):
    with contestant.start() as server:
        answer = server.call("GET", "/proxies/nobody")
        return Seen(body_words(answer), is_json_error(answer, 404) and answer.error == "proxy not found")


def warned(answer):
    """The warnings of an answer, without what is the same in all of them."""
    texts = [text.removeprefix('299 headwind "').removesuffix('"').replace("\\", "")
             for text in answer.headers.get_all("Warning") or []]
    words = "; ".join(f"“{text}”" for text in texts)
    return Seen(f"{answer.status}, warning {words}" if texts else f"{answer.status}, not a word", bool(texts))


@group.case("warn-key", "A toxic with a misspelled attribute, `latncy`")
def warn_key(contestant):
    with contestant.start() as server, Listener() as upstream:
        server.proxy(upstream.address)
        return warned(server.call("POST", "/proxies/p/toxics", {"type": "latency", "attributes": {"latncy": 100}}))


@group.case("warn-toxicity", "A toxic with `toxicity` 80")
def warn_toxicity(contestant):
    with contestant.start() as server, Listener() as upstream:
        server.proxy(upstream.address)
        return warned(server.call("POST", "/proxies/p/toxics", {"type": "latency", "toxicity": 80}))


@group.case("warn-upstream", "A proxy whose upstream is `http://127.0.0.1:80`")
def warn_upstream(contestant):
    with contestant.start() as server:
        body = {"name": "p", "listen": "127.0.0.1:0", "upstream": "http://127.0.0.1:80"}
        return warned(server.call("POST", "/proxies", body))


@group.case("host-header", "A call under a public name, `Host: rebound.example.com`, as a web page could make it")
def host_header(contestant):
    with contestant.start() as server:
        status = server.call("GET", "/version", headers=[("Host", "rebound.example.com")]).status
        return Seen(f"{status}", status == 403)


@group.case("whole-numbers", "A `latency` of `100.0`, as Lua, JavaScript and YAML tools write it")
def whole_numbers(contestant):
    with contestant.start() as server, Listener() as upstream:
        server.proxy(upstream.address)
        answer = server.call("POST", "/proxies/p/toxics", '{"type":"latency","attributes":{"latency":100.0}}')
        return Seen(f"{answer.status}" + ("" if answer.status == 200 else f" “{answer.error}”"), answer.status == 200)


@group.case("slash-in-name", "A proxy named `a/b` is deleted")
def slash_in_name(contestant):
    return deleted(contestant, "a/b", "/proxies/a%2Fb")


@group.case("dots-name", "A proxy named `..` is deleted")
def dots_name(contestant):
    return deleted(contestant, "..", "/proxies/..")


def deleted(contestant, name, path):
    with contestant.start() as server:
        server.proxy("127.0.0.1:1", name=name)
        status = server.call("DELETE", path).status
        left = len(server.expect("GET", "/proxies"))
        return Seen(f"{status}, proxies left: {left}", status == 204 and left == 0)
