import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { limitPipelining } from './http-server.ts'

const MANY = 500

async function listen(handle: RequestListener) {
  const server = createServer(limitPipelining(handle)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  /** A connection; what is written gets all that comes until its end. */
  return async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    return (lines: string): Promise<string> => {
      socket.write(lines)
      return text(socket).catch(() => '')
    }
  }
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

it('answers the requests of a connection one after the other, and others between them', async () => {
  const begun: string[] = []
  let running = 0
  let mostRunning = 0
  const open = await listen((request, response) => {
    begun.push(request.url!)
    mostRunning = Math.max(mostRunning, ++running)
    void turn().then(() => {
      running--
      response.end(request.url)
    })
  })
  const [first, second] = [await open(), await open()]
  const pipelined = first(
    Array.from({ length: MANY }, (_, i) => get(`/${i}`)).join('') + get('/last', 'Connection: close\r\n'),
  )
  const other = second(get('/other', 'Connection: close\r\n'))
  const answers = await pipelined
  await other
  expect(begun.indexOf('/other')).toBeLessThan(MANY / 2)
  expect(begun.filter((url) => url !== '/other')).toEqual([...Array.from({ length: MANY }, (_, i) => `/${i}`), '/last'])
  expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(MANY + 1)
  expect(mostRunning).toBeLessThanOrEqual(2)
})

it('ends a connection with more than a thousand waiting requests, without beginning them', async () => {
  let begun = 0
  const open = await listen(() => void begun++)
  const send = await open()
  expect(await send(get('/').repeat(5000))).toBe('')
  expect(begun).toBe(1)
})

it('begins no request of a closed connection', async () => {
  let begun = 0
  const open = await listen(({ socket }) => {
    begun++
    setImmediate(() => socket.destroy())
  })
  const send = await open()
  await send(get('/').repeat(100))
  await turn()
  expect(begun).toBe(1)
})
