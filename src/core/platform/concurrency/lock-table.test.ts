import { expect, it } from 'vitest'
import { KeyedMutex, LockTable } from './lock-table.ts'

it('locks a name for one exclusive or several shared tasks', async () => {
  const table = new LockTable()
  const [first, second] = await Promise.all([table.lock('a', 'shared'), table.lock('a', 'shared')])
  expect(await table.tryLock('a', 'exclusive')).toBeUndefined()
  expect(await table.tryLock('b', 'exclusive')).toBeDefined()
  first()
  first()
  expect(await table.tryLock('a', 'exclusive')).toBeUndefined()
  second()
  const release = (await table.tryLock('a', 'exclusive'))!
  expect(await table.tryLock('a', 'shared')).toBeUndefined()
  release()
  expect(table.size).toBe(1)
})

it('grants in the order of requests, so that a stream of shared ones delays no exclusive one for ever', async () => {
  const table = new LockTable()
  const release = await table.lock('a', 'shared')
  const granted: string[] = []
  table.request('a', 'exclusive', (free) => (granted.push('exclusive'), free()))
  table.request('a', 'shared', () => granted.push('shared'))
  expect(granted).toEqual([])
  release()
  expect(granted).toEqual(['exclusive', 'shared'])
})

it('drops a queued request that is withdrawn', async () => {
  const table = new LockTable()
  const release = await table.lock('a', 'shared')
  let isGranted = false
  const withdraw = table.request('a', 'exclusive', () => (isGranted = true))
  const behind = table.lock('a', 'shared')
  withdraw()
  ;(await behind)()
  release()
  expect([isGranted, table.size]).toEqual([false, 0])
})

it('lets mutexes of one name exclude each other across processes', async () => {
  const locks = new LockTable()
  const [here, there] = [new KeyedMutex({ name: 'refs', locks }), new KeyedMutex({ name: 'refs', locks })]
  const other = new KeyedMutex({ name: 'disk', locks })
  const log: string[] = []
  const gate = Promise.withResolvers<void>()
  const held = here.run('r', async () => {
    await gate.promise
    log.push('here')
  })
  const waiting = there.run('r', async () => void log.push('there'))
  await other.run('r', async () => void log.push('other name'))
  gate.resolve()
  await Promise.all([held, waiting])
  expect(log).toEqual(['other name', 'here', 'there'])
  expect(locks.size).toBe(0)
})
