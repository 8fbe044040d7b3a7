// fetch.mjs WAY PROXY URL COUNT: Node's own fetch, given undici's ProxyAgent (CONNECT), or an Agent whose connections
// are made by the package socks. Prints one JSON object a line for each of COUNT requests, every one on a connection of
// its own.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";

// What import does not do: look where NODE_PATH says. Debian's packages of Node modules are in no node_modules.
const require = createRequire(import.meta.url);
const { Agent, ProxyAgent, buildConnector, setGlobalDispatcher } = require("undici");
const { SocksClient } = require("socks");

const [way, proxy, url, count] = process.argv.slice(2);

function socksAgent() {
  const [host, port] = proxy.split(":");
  const secure = buildConnector({});
  return new Agent({
    connect(options, callback) {
      const secured = options.protocol === "https:";
      SocksClient.createConnection({
        proxy: { host, port: Number(port), type: 5 },
        command: "connect",
        destination: { host: options.hostname, port: Number(options.port || (secured ? 443 : 80)) },
      }).then(
        ({ socket }) => (secured ? secure({ ...options, httpSocket: socket }, callback) : callback(null, socket)),
        callback,
      );
    },
  });
}

function words(error) {
  const all = [];
  for (let one = error; one; one = one.cause) all.push(`${one.name} ${one.code ?? ""} ${one.message}`);
  return all.join(" <- ");
}

for (let index = 0; index < Number(count); index += 1) {
  const agent = way === "socks" ? socksAgent() : new ProxyAgent(`http://${proxy}`);
  setGlobalDispatcher(agent);
  const begin = performance.now();
  let told;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(30000) });
    const body = Buffer.from(await answer.arrayBuffer());
    told = { status: answer.status, sha256: createHash("sha256").update(body).digest("hex") };
  } catch (error) {
    told = { error: words(error) };
  }
  console.log(JSON.stringify({ ...told, seconds: (performance.now() - begin) / 1000 }));
  await agent.destroy();
}
