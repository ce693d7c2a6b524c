import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { allOf, type FakeService, json, startFakeService, status } from '../../../../../test/migration/fake-service.ts'
import { createForgeApi } from '../forge-api.ts'
import { oldestFirst } from './oldest-first.ts'

const signal = new AbortController().signal
let service: FakeService
beforeEach(async () => {
  service = await startFakeService()
})
afterEach(() => service.close())

const numbersOf = async (after = 0, bookmark = { page: 1 }): Promise<number[]> =>
  (await allOf(listOf(after, bookmark))).map((item) => (item as { number: number }).number)

function listOf(after: number, bookmark: { page: number }): AsyncIterable<readonly unknown[]> {
  const api = createForgeApi({
    ...service.deps,
    base: service.url,
    webUrl: service.url,
    credentials: [],
    perPage: ['limit', 3],
  })
  return oldestFirst(api, { path: '/list', key: 'number', after, bookmark }, signal)
}

/** Serves the numbers in pages of three. */
function serve(numbers: () => readonly number[], { total }: { readonly total: boolean }): void {
  service.routes.set('/list', (request, response) => {
    const page = Number(new URL(request.url!, service.url).searchParams.get('page'))
    const all = numbers()
    const items = all.slice((page - 1) * 3, page * 3).map((number) => ({ number }))
    json(items, total ? { 'x-total-count': String(all.length) } : {})(request, response)
  })
}

describe('lists in ascending order', () => {
  it('are made of lists that begin with the newest item, with a total and without', async () => {
    const newest = Array.from({ length: 20 }, (_, index) => 20 - index)
    for (const total of [true, false]) {
      serve(() => newest, { total })
      expect(await numbersOf()).toEqual(newest.toReversed())
      expect(await numbersOf(18)).toEqual([19, 20])
    }
  })

  it('lose nothing when items are added in the meantime', async () => {
    let numbers = Array.from({ length: 20 }, (_, index) => 20 - index)
    serve(
      () => {
        if (service.requests.length % 3 === 0 && numbers.length < 30) numbers = [numbers[0]! + 1, ...numbers]
        return numbers
      },
      { total: true },
    )
    expect((await numbersOf()).slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  })

  it('end if the service knows no pages, or reports an endless length', async () => {
    service.routes.set('/list', json([{ number: 2 }, { number: 1 }]))
    expect(await numbersOf()).toEqual([1, 2])
    service.routes.set('/list', json([{ number: 2 }, { number: 1 }], { 'x-total-count': '999999999999' }))
    await expect(numbersOf()).rejects.toThrow('the list of the other server has no end')
    service.routes.set('/list', (request, response) => {
      const page = Number(new URL(request.url!, service.url).searchParams.get('page'))
      json([{ number: 1e9 - 2 * page }, { number: 1e9 - 2 * page - 1 }])(request, response)
    })
    await expect(numbersOf()).rejects.toThrow('the list of the other server has no end')
    expect(service.requests.length).toBeLessThan(60)
  })

  /** Reads until `last` was given; returns the numbers, and where a later run begins. */
  async function readUntil(last: number): Promise<{ given: number[]; bookmark: { page: number } }> {
    const bookmark = { page: 1 }
    const given: number[] = []
    for await (const items of listOf(0, bookmark)) {
      given.push(...items.map((item) => (item as { number: number }).number))
      if (given.includes(last)) break
    }
    return { given, bookmark }
  }

  it('continue some pages before the one that an earlier run has come to', async () => {
    // The first number comes long before its turn, so that nothing after it is behind the earlier run.
    const numbers = Array.from({ length: 300 }, (_, index) => index + 1)
    const early = [...numbers.slice(0, 120), 1000, ...numbers.slice(120)]
    for (const [all, most] of [
      [numbers, 40],
      [early, 80],
    ] as const) {
      serve(() => all, { total: true })
      const { given, bookmark } = await readUntil(225)
      service.requests.length = 0
      const rest = await numbersOf(given.at(-1)!, bookmark)
      expect([...given, ...rest]).toEqual(all.toSorted((one, other) => one - other))
      expect(service.requests.length).toBeLessThan(most)
    }
  })

  it('start again if the page of an earlier run is missing, refused or has other items', async () => {
    const numbers = Array.from({ length: 300 }, (_, index) => index + 1)
    serve(() => numbers, { total: true })
    const { given, bookmark } = await readUntil(225)
    const after = given.at(-1)!
    const rest = numbers.slice(after)
    serve(() => rest, { total: true })
    expect(await numbersOf(after, { ...bookmark })).toEqual(rest)
    serve(() => [...numbers.slice(0, 60), ...rest], { total: true })
    expect(await numbersOf(after, { ...bookmark })).toEqual(rest)
    service.routes.set('/list?page=110&limit=3', status(422))
    serve(() => numbers, { total: true })
    expect(await numbersOf(after, { page: 120 })).toEqual(rest)
    await expect(numbersOf(after, { page: 60 })).resolves.toEqual(rest)
  })

  it('move numbers that come too early to their position', async () => {
    serve(() => [1, 50, 2, 3, 4, 60, 5, 6, 7, 8], { total: true })
    expect(await numbersOf()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 50, 60])
  })
})
