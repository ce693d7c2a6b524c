import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { safeHtml } from '../../../../core/platform/html.ts'
import { webPages } from '../../../accounts/index.ts'
import type { Subscriptions } from '../subscriptions/subscriptions.service.ts'
import { type IssueOfUser, UNSUBSCRIBE, type UnsubscribeLinks } from './unsubscribe-links.ts'

interface UnsubscribeDeps {
  readonly links: UnsubscribeLinks
  readonly subscriptions: Pick<Subscriptions, 'unsubscribe'>
}

/**
 * The page of the unsubscribe link in a mail. GET changes nothing, because programs follow links in mails; the form of
 * the page and mail programs (RFC 8058) POST to the same address. The page does not show the issue.
 */
export function registerUnsubscribe(http: FastifyInstance, { links, subscriptions }: UnsubscribeDeps): void {
  const answer =
    (handle: (target: IssueOfUser, reply: FastifyReply) => Promise<FastifyReply> | FastifyReply) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const target = links.read((request.params as { token: string }).token)
      if (target !== undefined) return handle(target, reply)
      const body = safeHtml`<p>This link is not valid. Take the one of the mail as it is.</p>`
      return webPages.send(reply, { title: 'Unsubscribe', body, status: 404 })
    }
  http.get(
    `${UNSUBSCRIBE}/:token`,
    answer((_, reply) => {
      const body = safeHtml`<p>You will get no more mail and notifications about this issue.</p>
<form method="post"><button>Unsubscribe</button></form>`
      return webPages.send(reply, { title: 'Unsubscribe', body })
    }),
  )
  http.post(
    `${UNSUBSCRIBE}/:token`,
    answer(async (target, reply) => {
      await subscriptions.unsubscribe(target)
      return webPages.send(reply, {
        title: 'Unsubscribed',
        body: safeHtml`<p>You are unsubscribed from this issue.</p>`,
      })
    }),
  )
}
