// The yardstick of large files: writes the body of a PUT to the file of the argument, and sends it on GET.
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'

const file = process.argv[2]!

const server = createServer((request, response) => {
  const copied =
    request.method === 'PUT'
      ? pipeline(request, createWriteStream(file)).then(() => response.writeHead(201).end())
      : pipeline(createReadStream(file), response)
  copied.catch((error: unknown) => response.destroy(error as Error))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(`http://127.0.0.1:${address.port}`)
})
