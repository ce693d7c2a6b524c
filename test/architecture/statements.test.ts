import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const folder = join(import.meta.dirname, '../db/sql')

it('binds times as parameters, because a statement with a time in its text is prepared again each time', () => {
  const statements = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  expect(statements.length).toBeGreaterThan(1000)
  expect(statements.filter((statement) => /\b\d{12,}\b/.test(statement))).toEqual([])
})
