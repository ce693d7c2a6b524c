import { expect, it } from 'vitest'
import { createMemo } from '../memo.ts'
import { type ChangesContext, createChanges } from './changes.ts'

const oid = (n: number): string => String(n).padStart(40, '0')

it('computes the changes of a commit once for concurrent callers', async () => {
  const asked: string[] = []
  const run = async (_: readonly string[], { input }: { readonly input: string }) => {
    asked.push(input)
    const commits = input.trim().split('\n')
    const text = commits.map(
      (commit) => `${commit}\0:000000 100644 ${oid(0)} ${oid(1)} A\0${commit}.txt\x001\t0\t${commit}.txt\0`,
    )
    return { stdout: Buffer.from(text.join('')) }
  }
  const changes = createChanges({
    format: 'sha1',
    cacheKey: '',
    objects: { commit: async (of: string) => ({ oid: of, parents: [] }) },
    command: { run },
    memo: createMemo(100_000),
  } as unknown as ChangesContext)
  const pages = [[1, 2, 2], [1, 2, 3], [3]].map((page) => page.map(oid))
  const found = await Promise.all(pages.map((page) => changes.ofCommits(page)))
  expect(asked).toEqual([`${oid(1)}\n${oid(2)}\n`, `${oid(3)}\n`])
  for (const [index, page] of pages.entries())
    expect([...found[index]!].map(([of, { files, additions }]) => [of, files[0]!.path, additions])).toEqual(
      [...new Set(page)].map((of) => [of, `${of}.txt`, 1]),
    )
})
