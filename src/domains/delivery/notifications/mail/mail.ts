import type { Projections } from '../../../../core/events/index.ts'
import type { Core, Services } from '../../../../core/module.ts'
import type { IsMarkedReady } from '../threads/is-marked-ready.ts'
import { createIssueMail, type IssueMail } from './issue-mail.service.ts'
import { activityOfNotice, mailProjections } from '../notifications.projection.ts'
import { createRunMail, type RunMail, runMailProjections } from './run-mail.service.ts'
import type { UnsubscribeLinks } from './unsubscribe-links.ts'
import { readFileSync } from 'node:fs'
import type { Config } from '../../../../core/config/index.ts'
import { engineErrors, invalid } from '../../../../core/platform/errors.ts'
import {
  type MailAddress,
  type MailServer,
  parseMailAddress,
  createSmtpServer,
} from '../../../../core/platform/mail/mail.ts'

interface MailDeps {
  readonly markup: Pick<Services['markup'], 'render'>
  readonly links: UnsubscribeLinks
  readonly notices: Services['issueNotices']
  readonly isMarkedReady: IsMarkedReady
}

/** The mail service and its producers, if mail is enabled in the configuration. */
export function createMail(
  { config, database, clock, jobs, log, site }: Core,
  { markup, links, notices, isMarkedReady }: MailDeps,
): {
  readonly mail: IssueMail | undefined
  readonly runMail: RunMail | undefined
  readonly projections: Projections
} {
  const configured = configuredMail(config)
  if (configured === undefined) return { mail: undefined, runMail: undefined, projections: {} }
  const { server, ...settings } = configured
  const mail = createIssueMail({ database, jobs, log, site, markup, server, links, settings })
  notices.register((tx, notice) => mail.toUsers(tx, activityOfNotice(notice, clock.now()), notice.userIds))
  const runMail = createRunMail({ database, log, site, server, settings })
  return {
    mail,
    runMail,
    projections: { ...mailProjections({ mail, clock, isMarkedReady }), ...runMailProjections(jobs) },
  }
}

interface ConfiguredMail {
  readonly server: MailServer
  readonly from: MailAddress
  readonly subjectPrefix: string
}

/**
 * Undefined when mail is disabled. Throws Invalid when a setting is missing, which prevents the start of the server.
 */
function configuredMail({ mailer }: Config): ConfiguredMail | undefined {
  if (!mailer.enabled) return undefined
  for (const name of ['host', 'from'] as const)
    if (mailer[name] === '') throw invalid(`mailer.enabled needs mailer.${name}`)
  if (mailer.password !== '' && mailer.password_file !== '')
    throw invalid('mailer.password and mailer.password_file exclude each other')
  const { protocol, host, port, user } = mailer
  const password = mailer.password_file === '' ? mailer.password : readSetting(mailer.password_file).trimEnd()
  const ca = mailer.ca_file === '' ? '' : readSetting(mailer.ca_file)
  return {
    server: createSmtpServer({ protocol, host, port, user, password, ca }),
    from: parseMailAddress(mailer.from),
    subjectPrefix: mailer.subject_prefix,
  }
}

function readSetting(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw engineErrors.settingsFileUnreadable(file, (error as Error).message)
  }
}
