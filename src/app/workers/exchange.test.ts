import { expect, it } from 'vitest'
import { Exchange, type Peer, type FromSupervisor, type FromWorker } from './messages.ts'
import { connectToSupervisor, type WorkerLink } from './worker-link.ts'

/** A worker that is connected to an exchange in this process. */
async function join(exchange: Exchange, id: number): Promise<WorkerLink & { leave(isKilled?: boolean): void }> {
  let receive: (message: FromSupervisor) => void = () => {}
  const peer: Peer = { id, send: (message) => queueMicrotask(() => receive(message)) }
  exchange.add(peer)
  const link = await connectToSupervisor({
    send(message: FromWorker) {
      if (message.kind !== 'hello') return exchange.receive(peer, message)
      const others = exchange.ids.filter((other) => other !== id)
      const state = { count: 2, slot: id, id, others, run: 'run', startedAt: 0, isFirst: id === 0 }
      peer.send({ kind: 'welcome', ...state })
    },
    onMessage: (to) => (receive = to),
  })
  return { ...link, leave: (isKilled = false) => exchange.remove(peer, isKilled) }
}

it('locks for all workers, and releases the locks of a worker that exits', async () => {
  const exchange = new Exchange()
  const [first, second] = await Promise.all([join(exchange, 0), join(exchange, 1)])
  await first.processes.locks!.lock('a', 'exclusive')
  expect(await second.processes.locks!.tryLock('a', 'shared')).toBeUndefined()
  const waiting = second.processes.locks!.lock('a', 'exclusive')
  first.leave()
  ;(await waiting)()
  expect(exchange.lockCount).toBe(0)
})

it('withdraws the lock requests of a worker that exits', async () => {
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

it('sends announcements to all other workers, and merges those that come in quick succession', async () => {
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

it('asks all other workers, except those that exit before they answer', async () => {
  const exchange = new Exchange()
  const [first, second, third] = await Promise.all([join(exchange, 0), join(exchange, 1), join(exchange, 2)])
  second.processes.answer('question', async () => 'answer')
  third.processes.answer('question', () => new Promise(() => {}))
  const answers = first.processes.ask('question')
  await new Promise(setImmediate)
  third.leave()
  expect(await answers).toEqual(['answer'])
})

it('informs the others which workers have exited', async () => {
  const exchange = new Exchange()
  const [first, second] = await Promise.all([join(exchange, 0), join(exchange, 1)])
  const [one, two] = [first.processes, second.processes]
  const heard: (readonly string[])[] = []
  one.onEnded((names) => heard.push(names))
  expect(one.ended([one.self, two.self, 'earlier-0'])).toEqual(['earlier-0'])
  second.leave(true)
  const third = await join(exchange, 2)
  third.leave()
  await new Promise(setImmediate)
  expect(heard).toEqual([[two.self], []])
  expect(one.ended([one.self, two.self, third.processes.self])).toEqual([two.self, third.processes.self])
  // A later worker knows which exited before.
  const last = (await join(exchange, 3)).processes
  expect(last.ended([one.self, two.self, last.self])).toEqual([two.self])
})
