import { readFileSync } from 'node:fs'
import type { Config } from '../../../../core/config/index.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { type MailAddress, type MailServer, parseMailAddress } from '../../../../core/platform/mail/mail.ts'
import { createSmtpServer } from '../../../../core/platform/mail/smtp.ts'

export interface ConfiguredMail {
  readonly server: MailServer
  readonly from: MailAddress
  readonly subjectPrefix: string
}

/** Undefined when mail is off. Throws Invalid when a setting is missing, which stops the start. */
export function configuredMail({ mailer }: Config): ConfiguredMail | undefined {
  if (!mailer.enabled) return undefined
  for (const name of ['host', 'from'] as const)
    if (mailer[name] === '') throw invalid(`mailer.enabled needs mailer.${name}`)
  if (mailer.password !== '' && mailer.password_file !== '')
    throw invalid('mailer.password and mailer.password_file exclude each other')
  const { protocol, host, port, user, allowed_hosts: allowedHosts } = mailer
  const password = mailer.password_file === '' ? mailer.password : readSetting(mailer.password_file).trimEnd()
  const ca = mailer.ca_file === '' ? '' : readSetting(mailer.ca_file)
  return {
    server: createSmtpServer({ protocol, host, port, user, password, allowedHosts, ca }),
    from: parseMailAddress(mailer.from),
    subjectPrefix: mailer.subject_prefix,
  }
}

function readSetting(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw invalid(`cannot read ${file}: ${(error as Error).message}`)
  }
}
