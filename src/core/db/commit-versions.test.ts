import { expect, it } from 'vitest'
import { beginReading, CommitVersions, type Reading } from './read-cache.ts'

/** A database whose answers the test controls. */
function controlledVersions() {
  const asked: ((text: string) => void)[] = []
  const versions = new CommitVersions(() => new Promise((resolve) => asked.push(resolve)))
  const versionOf = async (reading: Reading) => versions.during(reading, () => versions.version())
  const isAsked = (times: number) => expect.poll(() => asked.length).toBe(times)
  return { versions, asked, versionOf, isAsked }
}

it('are read once for the requests of one turn, and again for a request that comes during the read', async () => {
  const { asked, versionOf, isAsked } = controlledVersions()
  const first = beginReading()
  const together = [versionOf(first), versionOf(beginReading())]
  await isAsked(1)
  const later = versionOf(beginReading())
  await isAsked(2)
  asked[0]!('before')
  expect(await Promise.all(together)).toEqual([1, 1])
  asked[1]!('after')
  expect(await later).toBe(2)
  expect(await versionOf(first)).toBe(2)
  expect(asked).toHaveLength(2)
})

it('do not go back when a later query is answered first', async () => {
  const { asked, versionOf, isAsked } = controlledVersions()
  const early = versionOf(beginReading())
  await isAsked(1)
  const late = versionOf(beginReading())
  await isAsked(2)
  asked[1]!('after')
  expect(await late).toBe(1)
  asked[0]!('before')
  expect(await early).toBe(1)
  const next = versionOf(beginReading())
  await isAsked(3)
  asked[2]!('after')
  expect(await next).toBe(1)
})

it('are read again by a request after a commit of its own process', async () => {
  const { versions, asked, versionOf, isAsked } = controlledVersions()
  const reading = beginReading()
  const before = versionOf(reading)
  await isAsked(1)
  versions.committed()
  asked[0]!('one')
  expect(await before).toBe(1)
  const after = versionOf(reading)
  await isAsked(2)
  asked[1]!('two')
  expect(await after).toBe(2)
})

it('are unknown outside of requests, and to work that outlives its request', async () => {
  const { versions, asked, versionOf, isAsked } = controlledVersions()
  const reading = beginReading()
  const { promise, resolve } = Promise.withResolvers<void>()
  const leftBehind = versions.during(reading, () => promise.then(() => versions.version()))
  const version = versionOf(reading)
  await isAsked(1)
  asked[0]!('one')
  expect(await version).toBe(1)
  expect(versions.version()).toBeUndefined()
  reading.isOver = true
  resolve()
  expect(await leftBehind).toBeUndefined()
})

it('fail the waiting requests if the database fails, but not later ones', async () => {
  let fails = true
  const versions = new CommitVersions(async () => (fails ? Promise.reject(new Error('lost')) : 'one'))
  const version = () => Promise.resolve(versions.during(beginReading(), () => versions.version()))
  await expect(version()).rejects.toThrow('lost')
  fails = false
  expect(await version()).toBe(1)
})
