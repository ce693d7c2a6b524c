// Answers the same bytes to every chunk that arrives, without reading it: the least work that a server can do, so that
// the load generator is what limits the rate. A generator that waits for each answer sends one request in one chunk.
// Prints its URL and serves until it is ended.
import { createServer, type AddressInfo } from 'node:net'

const BODY = '{"version":"1.0.0"}'
const ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
)

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('data', () => socket.write(ANSWER))
  socket.on('error', () => socket.destroy())
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
