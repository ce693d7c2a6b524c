import type { Core, ModuleParts } from '../../../core/module.ts'
import type { Tx } from '../../../core/db/database.ts'
import { Type } from '@sinclair/typebox'
import { defineJob, type JobPayloadsOf } from '../../../core/jobs/index.ts'
import type { Renewals } from './renewals.service.ts'

const payloads = {
  /** Orders a certificate by ACME where it is time for one. */
  'certificate.renew': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof payloads> {}
}

/** Checks every ten minutes, and at the start, whether a renewal is due. */
export function renewalJobs(
  renewals: Renewals,
  { database, jobs }: Pick<Core, 'database' | 'jobs'>,
): Pick<ModuleParts, 'jobs' | 'tasks' | 'recover'> {
  const enqueue = (tx: Tx): Promise<void> => jobs.enqueue(tx, 'certificate.renew', {}, { key: 'all' })
  return {
    jobs: {
      'certificate.renew': defineJob(payloads['certificate.renew'], (_, signal) => renewals.renew(signal), {
        group: 'acme',
      }),
    },
    tasks: [{ name: 'renew_certificate', schedule: '*/10 * * * *', start: enqueue }],
    recover: () => database.transaction(enqueue),
  }
}
