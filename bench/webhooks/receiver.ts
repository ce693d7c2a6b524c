// A receiver of webhooks as a process of its own: answers each POST after 5 ms with an empty 200, but never those to
// the second address. GET returns as JSON what has arrived since the last DELETE. Prints both addresses and serves
// until it is ended.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'

const ANSWER_MS = 5
const NUMBER = /"title": ?"webhook (\d+)"/

let numbers: Record<string, number[]> = {}
let times: number[] = []

const server = createServer((request, response) => {
  if (request.method === 'POST') return receive(request, response)
  if (request.method === 'DELETE') {
    numbers = {}
    times = []
  }
  response.end(JSON.stringify({ count: times.length, first: times[0], last: times.at(-1), numbers }))
})

/** The first byte counts; the number of the issue is noted once all of the body is there. */
function receive(request: IncomingMessage, response: ServerResponse): void {
  const at = performance.timeOrigin + performance.now()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('latin1')
    times.push(at)
    ;(numbers[request.url!] ??= []).push(Number(NUMBER.exec(body)?.[1] ?? -1))
    setTimeout(() => response.end(), ANSWER_MS)
  })
}

const listen = async (listener: Server): Promise<string> => {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
}

console.log(`${await listen(server)} ${await listen(createServer(() => {}))}`)
