import { expect, it } from 'vitest'
import { Exchange, type Peer } from './exchange.ts'
import type { FromSupervisor, FromWorker } from './messages.ts'
import { connectToSupervisor, type WorkerLink } from './worker-link.ts'

/** A worker that is connected to an exchange in this process. */
async function join(exchange: Exchange, id: number): Promise<WorkerLink & { leave(): void }> {
  let receive: (message: FromSupervisor) => void = () => {}
  const peer: Peer = { id, send: (message) => queueMicrotask(() => receive(message)) }
  exchange.add(peer)
  const link = await connectToSupervisor({
    send(message: FromWorker) {
      if (message.kind === 'hello') peer.send({ kind: 'welcome', count: 2, slot: id, startedAt: 0, isFirst: id === 0 })
      else exchange.receive(peer, message)
    },
    onMessage: (to) => (receive = to),
  })
  return { ...link, leave: () => exchange.remove(peer) }
}

it('locks for all workers, and releases what a worker had locked when it ends', async () => {
  const exchange = new Exchange()
  const [first, second] = await Promise.all([join(exchange, 0), join(exchange, 1)])
  await first.processes.locks!.lock('a', 'exclusive')
  expect(await second.processes.locks!.tryLock('a', 'shared')).toBeUndefined()
  const waiting = second.processes.locks!.lock('a', 'exclusive')
  first.leave()
  ;(await waiting)()
  expect(exchange.lockCount).toBe(0)
})

it('withdraws what a worker that ends waited for', async () => {
  const exchange = new Exchange()
  const [first, second, third] = await Promise.all([join(exchange, 0), join(exchange, 1), join(exchange, 2)])
  const release = await first.processes.locks!.lock('a', 'exclusive')
  void second.processes.locks!.lock('a', 'exclusive')
  const last = third.processes.locks!.lock('a', 'exclusive')
  second.leave()
  release()
  ;(await last)()
  expect(exchange.lockCount).toBe(0)
})

it('announces to all other workers, what follows closely once', async () => {
  const exchange = new Exchange()
  const [first, second] = await Promise.all([join(exchange, 0), join(exchange, 1)])
  const heard: string[] = []
  first.processes.onAnnounced('topic', () => heard.push('itself'))
  second.processes.onAnnounced('topic', (detail) => heard.push(detail))
  first.processes.announce('topic')
  first.processes.announce('topic')
  first.processes.announce('topic', 'detail')
  await new Promise(setImmediate)
  expect(heard.toSorted()).toEqual(['', 'detail'])
})

it('asks all other workers, without those that end before they answer', async () => {
  const exchange = new Exchange()
  const [first, second, third] = await Promise.all([join(exchange, 0), join(exchange, 1), join(exchange, 2)])
  second.processes.answer('question', async () => 'answer')
  third.processes.answer('question', () => new Promise(() => {}))
  const answers = first.processes.ask('question')
  await new Promise(setImmediate)
  third.leave()
  expect(await answers).toEqual(['answer'])
})
