// check_pac.js PAC-FILE READY-FILE: asks the file about URLs and holds its answers against a table.
"use strict";
const fs = require("fs");
const vm = require("vm");

const [pacFile, readyFile] = process.argv.slice(2);
const ready = JSON.parse(fs.readFileSync(readyFile, "utf8"));

// What a browser gives a PAC file. Names are never to be looked up: a lookup goes past the proxy, and takes its time.
function number(address) {
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(address)) throw new Error(`a lookup of ${address}`);
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}
const browser = {
  isInNet: (host, net, mask) =>
    (number(host) & number(mask)) >>> 0 === (number(net) & number(mask)) >>> 0,
  shExpMatch: (text, glob) =>
    new RegExp("^" + glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".") + "$").test(text),
};
const context = vm.createContext(browser);
vm.runInContext(fs.readFileSync(pacFile, "utf8"), context);

const proxy = `PROXY ${ready.http_proxy}; SOCKS5 ${ready.socks}; SOCKS ${ready.socks}`;
const table = {
  DIRECT: [
    "http://localhost/", "https://LOCALHOST:8443/x", "http://app.localhost:3000/", "http://127.0.0.1:8474/", "http://127.9.9.9/",
    "http://[::1]:80/", "https://www.example.com/", "https://a.b.EXAMPLE.com./", "http://www.example.com:8080/a?b=http://x/",
    "https://user:secret@www.example.com/", "https://www.example.net:8443/", "http://10.2.0.1/", "https://10.255.255.255:1/",
    "http://192.0.2.7/", "http://192.0.2.7:80/", "ws://192.0.2.7/", "http://cdn-1.example.org/", "http://cdn-.example.org/",
    "http://anything.test:25/", "https://a.v6only/",
  ],
  [proxy]: [
    "http://example.com/", "https://api.example.com/", "https://API.example.com.:444/", "http://xexample.com/",
    "http://www.example.com.evil.test/", "https://bad.example.net:8443/", "https://www.example.net/",
    "http://www.example.net:84430/", "http://10.1.2.3/", "http://11.0.0.1/", "https://192.0.2.7/", "http://192.0.2.7:8080/",
    "wss://192.0.2.7/", "http://192.0.2.8/", "https://[fd00::1]/", "https://[fd00::2]/", "http://[2001:db8::1]:8080/",
    "http://cdn.example.org/", "http://127.0.0.1.evil.test/", "http://localhost.evil.test/", "http://10.evil.test/",
    "http://notlocalhost/", "http://anything.test:2525/", "https://anything.test/", "ftp://anything.test/",
    "http://evil.test/?http://www.example.com:25/", "http://www.example.com@evil.test/", "http://evil.test:8080/:25/",
  ],
};

// As browsers call it: the host as the URL has it, some with the brackets of IPv6 and some without.
function hosts(url) {
  const host = /^\w+:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^:/?#]*)/.exec(url)[1];
  return host.startsWith("[") ? [host, host.slice(1, -1)] : [host];
}

let [count, failures] = [0, 0];
for (const [wanted, urls] of Object.entries(table)) {
  for (const url of urls) {
    for (const host of hosts(url)) {
      count += 1;
      const found = context.FindProxyForURL(url, host);
      if (found === wanted) continue;
      failures += 1;
      console.error(`check-pac: ${url} (${host}): ${found}, wanted: ${wanted}`);
    }
  }
}
console.log(`check-pac: ${count} questions, ${failures} wrong answers`);
process.exit(failures === 0 ? 0 : 1);
