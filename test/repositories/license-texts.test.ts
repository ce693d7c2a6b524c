import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { sha256Hex } from '../../src/core/platform/crypto/crypto.ts'

const DATA = new URL('../../src/domains/repositories/templates/data/licenses.json', import.meta.url)

it('the texts of licenses are those of their authors: no edit of this repository reaches them', async () => {
  expect(sha256Hex(await readFile(DATA))).toBe('bbb960fb582ce168bc482b621c679888e8316faaf900607300728e6f9bcf778b')
})
