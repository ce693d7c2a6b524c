import { expect, it } from 'vitest'
import { parseCommit } from '../../src/core/git/engine/object/commit.ts'
import { parseSubmodules } from '../../src/domains/code/contents/read/contents.service.ts'
import { signedBy } from '../../src/domains/repositories/signing/signing.ts'
import { processorTime } from '../harness/growth.ts'
import { MEASURED } from '../harness/measured.ts'

const MANY = 400_000
const WHO = { name: 'A', email: 'a@example.test', time: 1, offset: 0 }

it.each<[string, () => unknown]>([
  [
    '.gitmodules with long lines of blanks',
    () =>
      parseSubmodules(`[submodule "a"]\n path = ${' '.repeat(MANY)}x\n url ${' '.repeat(MANY)}= y${' '.repeat(MANY)}x`),
  ],
  [
    'a signature of line ends',
    () =>
      parseCommit(
        '1',
        Buffer.from(
          `tree ${'1'.repeat(40)}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n${' \n'.repeat(MANY)} x\n\nm`,
        ),
      ),
  ],
  [
    'a message that is almost trailers',
    () =>
      signedBy(
        { format: 'ssh', name: 'F', email: 'f@example.test', publicKey: '', ids: [], sign: async () => '' },
        { author: WHO, committer: { ...WHO, name: 'B' }, message: `x\n\n${'a: '.repeat(MANY)}\n!` },
      ),
  ],
])('%s is parsed quickly', MEASURED, async (_, read) => {
  expect(await processorTime(read)).toBeLessThan(1_500)
})

it('trailers are distinguished from other last paragraphs', () => {
  const signer = {
    format: 'ssh' as const,
    name: 'F',
    email: 'f@example.test',
    publicKey: '',
    ids: [],
    sign: async () => '',
  }
  const withTrailer = (message: string): string =>
    signedBy(signer, { author: WHO, committer: { ...WHO, name: 'B' }, message }).message
  const own = 'Co-committed-by: B <a@example.test>\n'
  expect(withTrailer('x\n')).toBe(`x\n\n${own}`)
  expect(withTrailer('x\n\nSigned-off-by: Q <q@q>\n')).toBe(`x\n\nSigned-off-by: Q <q@q>\n${own}`)
  expect(withTrailer('x\n\nSigned-off-by: Q <q@q>\nand more\n')).toBe(`x\n\nSigned-off-by: Q <q@q>\nand more\n\n${own}`)
  expect(withTrailer('fix: x\n')).toBe(`fix: x\n\n${own}`)
})
