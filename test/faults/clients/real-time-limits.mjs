// Loaded into a daemon whose clock runs faster (`node --import`): its HTTP server waits for clients as
// long as it does by the real time. An idle connection would else be closed within seconds, perhaps
// just as the next request arrives on it.
import { Server } from 'node:http'

const timesFaster = Number(process.env.TIMES_FASTER)

const patiently = new Proxy(Reflect.get(Server.prototype, 'listen'), {
  apply: (listen, server, where) => {
    server.keepAliveTimeout *= timesFaster
    server.headersTimeout *= timesFaster
    return Reflect.apply(listen, server, where)
  },
})
Reflect.set(Server.prototype, 'listen', patiently)
