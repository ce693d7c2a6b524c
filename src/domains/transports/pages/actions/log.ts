import type { Services } from '../../../../core/module.ts'
import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { Job } from '../../../automation/index.ts'
import { pager, type PageContext } from '../layout.ts'

/** The bytes of a log on one page. */
const BYTES = 256 * 1024

/** The log of the latest attempt of a job in pages, for signed-in viewers, as in the API. */
export async function logPart(
  { jobLogs }: { readonly jobLogs: Pick<Services['jobLogs'], 'find'> },
  context: PageContext,
  { id, repoId }: Job,
): Promise<Html> {
  if (context.viewer.kind === 'anonymous') return safeHtml`<p class="note">Sign in to read the log.</p>`
  try {
    const { size, open } = await jobLogs.find(repoId, { jobId: id })
    const paging = context.paging(BYTES)
    if (paging.offset >= size) return safeHtml`<p class="note">No lines.</p>`
    const chunks: Buffer[] = []
    for await (const chunk of await open({ start: paging.offset, end: Math.min(size, paging.offset + BYTES) - 1 }))
      chunks.push(chunk as Buffer)
    const text = withoutColours(Buffer.concat(chunks).toString('utf8'))
    return safeHtml`<pre class="log">${text}</pre>\n${pager(paging, size)}`
  } catch (error) {
    if (isDomainError(error, 'not-found')) return safeHtml`<p class="note">There is no log.</p>`
    throw error
  }
}

/** Removes the sequences by which programs colour their output. */
// oxlint-disable-next-line no-control-regex
const withoutColours = (text: string): string => text.replaceAll(/\x1b\[[0-9;]{0,20}[A-Za-z]/g, '')
