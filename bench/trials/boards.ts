import { performance } from 'node:perf_hooks'
import { requireApi, tokenHeaders } from '../api.ts'
import { smallRepo } from '../data/fill.ts'
import type { Figure, Trial } from '../figure.ts'
import { median } from '../load/load.ts'
import type { Run } from '../run.ts'

const CARDS = 200
const PAGE = 50
const TIMES = 100
const NAMES = {
  columns: 'project board: list of columns',
  page: `project board: ${PAGE} of ${CARDS} cards of a column`,
  move: 'project board: move a card',
} as const

/** A board with cards in one column, one request after the other. */
export const boards: Trial = {
  names: Object.values(NAMES),
  needs: 'site',
  async run(run) {
    if (run.own === undefined) return []
    const call = caller(run)
    const { id: board } = await call('POST', '/projects', { title: 'Board', template_type: 'basic_kanban' })
    const path = `/projects/${board}`
    const [first, second] = (await call('GET', `${path}/columns`)) as unknown as { readonly id: number }[]
    const cards: number[] = []
    for (let at = 0; at < CARDS; at++) {
      const { id } = await call('POST', '/issues', { title: `Card ${at}` })
      await call('POST', `${path}/columns/${first!.id}/issues/${id}`)
      cards.push(id)
    }
    const list = `${path}/columns/${first!.id}/issues?limit=${PAGE}`
    return [
      await timed(NAMES.columns, () => call('GET', `${path}/columns`)),
      await timed(NAMES.page, () => call('GET', list)),
      await timed(NAMES.move, (at) =>
        call('POST', `${path}/issues/${cards[at]!}/move`, { column_id: second!.id, sorting: 0 }),
      ),
    ]
  },
}

const caller =
  ({ target, seed }: Run) =>
  (method: string, path: string, body?: object): Promise<{ readonly id: number }> =>
    requireApi(target.url, {
      method,
      path: `/repos/${target.login}/${smallRepo(seed.prefix, 2)}${path}`,
      headers: tokenHeaders(target),
      body,
    })

async function timed(name: string, request: (at: number) => Promise<unknown>): Promise<Figure> {
  const times: number[] = []
  for (let at = 0; at < TIMES; at++) {
    const begin = performance.now()
    await request(at)
    times.push(performance.now() - begin)
  }
  return { name, measured: median(times), unit: 'ms' }
}
