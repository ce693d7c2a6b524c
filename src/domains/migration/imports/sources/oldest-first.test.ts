import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { allOf, type FakeService, json, startFakeService } from '../../../../../test/migration/fake-service.ts'
import { createForgeApi } from '../forge-api.ts'
import { oldestFirst } from './oldest-first.ts'

const signal = new AbortController().signal
let service: FakeService
beforeEach(async () => {
  service = await startFakeService()
})
afterEach(() => service.close())

const numbersOf = async (after = 0): Promise<number[]> => {
  const api = createForgeApi({
    ...service.deps,
    base: service.url,
    webUrl: service.url,
    credentials: [],
    perPage: ['limit', 3],
  })
  const items = await allOf(oldestFirst(api, { path: '/list', key: 'number', after }, signal))
  return items.map((item) => (item as { number: number }).number)
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

  it('lose nothing when items are added meanwhile', async () => {
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

  it('end if the service knows no pages, or tells a length without end', async () => {
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

  it('bring numbers that come too early where they belong', async () => {
    serve(() => [1, 50, 2, 3, 4, 60, 5, 6, 7, 8], { total: true })
    expect(await numbersOf()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 50, 60])
  })
})
