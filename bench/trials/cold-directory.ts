import { performance } from 'node:perf_hooks'
import { callApi, tokenHeaders } from '../api.ts'
import type { Trial } from '../figure.ts'

const NAME = 'large: root directory, first'
const MOST_MS = 2000

/** The root directory with the last commit of each entry, when nobody asked before. */
export const coldDirectory: Trial = {
  names: [NAME],
  needs: 'large',
  async run({ target, seed }) {
    const begin = performance.now()
    const { status } = await callApi(target.url, {
      path: `/repos/${target.login}/${seed.large}/contents`,
      headers: tokenHeaders(target),
    })
    return [{ name: NAME, measured: status === 200 ? performance.now() - begin : undefined, unit: 'ms', most: MOST_MS }]
  },
}
