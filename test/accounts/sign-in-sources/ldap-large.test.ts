import { beforeAll, describe, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { findSlapd, PEOPLE } from '../../harness/directory.ts'
import { MEASURED } from '../../harness/measured.ts'
import { ldapWorld } from './ldap-fixture.ts'

const slapd = findSlapd()
/** `INGOT_TEST_FAULTS=all` compares 100,000. */
const ENTRIES = process.env['INGOT_TEST_FAULTS'] === 'all' ? 100_000 : 10_000
const MB = 1024 * 1024

function entry(_: unknown, index: number): string {
  const uid = `p${index}`
  return `dn: uid=${uid},${PEOPLE}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: x\nmail: ${uid}@corp.test\ntitle: ${'x'.repeat(500)}\n`
}

describe.skipIf(slapd === undefined)('a directory with many entries', () => {
  describeOnBoth('is compared', (kind) => {
    const world = ldapWorld(slapd!, { on: kind })

    let id: number
    beforeAll(async () => {
      await world.directory.load(Array.from({ length: ENTRIES }, entry).join('\n'))
      // The full name is the large attribute, and nobody gets an account: what is measured is the comparison.
      id = await world.addSource('many', { create_accounts: false, full_name_attribute: 'title' })
    }, 300_000)

    it('in pages, with the memory of some of them', { ...MEASURED, timeout: 600_000 }, async () => {
      const before = process.memoryUsage().rss
      let peak = before
      const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20)
      await world.synchronize()
      clearInterval(timer)
      const { last_sync: report } = (await world.root.client.get(`/admin/auth-sources/${id}`)).json
      expect(report).toMatchObject({ complete: true, entries: ENTRIES, created: 0, skipped: ENTRIES })
      expect(report.problems.length).toBeLessThanOrEqual(20)
      expect((peak - before) / MB).toBeLessThan(64)
    })
  })
})
