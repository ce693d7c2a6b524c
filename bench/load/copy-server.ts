// The yardstick of large files: writes the body of a PUT to the file of the argument, and sends it on GET. With a second
// argument, the name of a hash, it also hashes the body and syncs the file, as a registry has to.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'

const [file, algorithm] = process.argv.slice(2) as [string, string?]

async function receive(request: IncomingMessage): Promise<void> {
  if (algorithm === undefined) return pipeline(request, createWriteStream(file))
  const sum = createHash(algorithm)
  request.on('data', (chunk: Buffer) => sum.update(chunk))
  await pipeline(request, createWriteStream(file, { flush: true }))
  sum.digest()
}

const server = createServer((request, response) => {
  const copied =
    request.method === 'PUT'
      ? receive(request).then(() => response.writeHead(201).end())
      : pipeline(createReadStream(file), response)
  copied.catch((error: unknown) => response.destroy(error as Error))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(`http://127.0.0.1:${address.port}`)
})
