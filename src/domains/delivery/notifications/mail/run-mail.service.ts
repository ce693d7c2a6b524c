import type { Core } from '../../../../core/module.ts'
import { repoUrls } from '../../../../core/access/repo-urls.ts'
import type { Projections } from '../../../../core/events/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { safeHtml } from '../../../../core/platform/html.ts'
import { type Mail, MailRefusedError, type MailServer } from '../../../../core/platform/mail/mail.ts'
import type { User } from '../../../accounts/index.ts'
import { type Job, type Run, runQueries } from '../../../automation/index.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import type { MailSettings } from './issue-mail.service.ts'
import { findRunAddressee } from './mail-recipients.store.ts'

interface RunMailDeps extends Pick<Core, 'database' | 'log' | 'site'> {
  readonly server: MailServer
  readonly settings: Omit<MailSettings, 'domain'>
}

interface FailedRun {
  readonly repo_id: number
  readonly run_id: number
}

interface Failure {
  readonly run: Run
  readonly repo: Repo
  readonly jobs: readonly Job[]
}

/** Names in one mail. */
const MAX_JOBS = 20

export type RunMail = ReturnType<typeof createRunMail>

/** Mail about runs that failed, to those who started them (docs/operate/mail.md#failed-runs). */
export function createRunMail({ database, log, site, server, settings }: RunMailDeps) {
  return {
    /** Sends nothing when the run was rerun or deleted in the meantime, or when the user must not read it any longer. */
    async send({ repo_id, run_id }: FailedRun, signal: AbortSignal): Promise<void> {
      const repo = await repoQueries.findById(database.read, asId(repo_id))
      const run = repo && (await runQueries.find(database.read, repo.id, run_id))
      if (run?.status !== 'failure') return
      const user = await findRunAddressee(database.read, repo!, run.triggerActorId)
      if (user === undefined) return
      const jobs = (await runQueries.listAllJobs(database.read, run_id)).filter(({ status }) => status === 'failure')
      const domain = new URL(site.rootUrl()).hostname
      const url = `${repoUrls(repo!, site).html}/actions/runs/${run.id}`
      const mail = composeMail({ run, repo: repo!, jobs }, { user, url }, { ...settings, domain })
      const connection = await server.connect()
      try {
        await connection.send(mail, signal)
      } catch (error) {
        if (!(error instanceof MailRefusedError)) throw error
        log.warn({ err: error, user: user.id, run: run.id }, 'failed to send mail')
      } finally {
        connection.close()
      }
    },
  }
}

function composeMail(
  { run, repo, jobs }: Failure,
  { user, url }: { readonly user: User; readonly url: string },
  { from, subjectPrefix, domain }: MailSettings,
): Mail {
  const names = jobs.slice(0, MAX_JOBS).map(({ name }) => name)
  const more = jobs.length > MAX_JOBS ? ` and ${jobs.length - MAX_JOBS} more` : ''
  const sentence = `${run.workflowName || run.workflow} #${run.number} failed for ${run.oid.slice(0, 10)}: ${names.join(', ')}${more}`
  const thread = `run/${run.id}@${domain}`
  return {
    from,
    to: { name: user.fullName || user.name, address: user.email },
    subject: `${subjectPrefix}[${repo.fullName}] Failed: ${run.title}`,
    text: `${sentence}\n\n-- \n${url}`,
    html: safeHtml`<p>${sentence}</p>\n<hr><p><a href="${url}">${repo.fullName} #${run.number}</a></p>`.text,
    messageId: run.attempt === 1 ? thread : `run/${run.id}/${run.attempt}@${domain}`,
    references: run.attempt === 1 ? [] : [thread],
    headers: {
      'List-ID': `${repo.fullName} <${repo.name}.${repo.owner.name}.${domain}>`,
      'List-Archive': `<${url}>`,
      'Auto-Submitted': 'auto-generated',
      Precedence: 'list',
    },
  }
}

/** Enqueues mail when a run fails. */
export const runMailProjections = (jobs: Core['jobs']): Projections => ({
  'action_job.changed': async (tx, { payload: { repo_id, run_id, run_status } }) => {
    if (run_status === 'failure')
      await jobs.enqueue(tx, 'mail.failed_run', { repo_id, run_id }, { key: String(run_id) })
  },
})
