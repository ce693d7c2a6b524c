import { Type } from '@sinclair/typebox'

export const streamSection = Type.Object(
  {
    max_total: Type.Integer({
      default: 2000,
      minimum: 0,
      description: 'Streams that this process keeps open at once; 0 switches them off.',
    }),
    max_per_account: Type.Integer({ default: 20, minimum: 1, description: 'Streams of one account at once.' }),
    max_per_address: Type.Integer({
      default: 100,
      minimum: 1,
      description:
        'Anonymous streams from one address at once; IPv6 counts by /64. Behind a reverse proxy server.trust_proxy must be on.',
    }),
    heartbeat: Type.Integer({
      default: 15,
      minimum: 1,
      maximum: 300,
      description: 'Seconds between the lines that keep an idle stream open through proxies.',
    }),
    max_age: Type.Integer({
      default: 3600,
      minimum: 1,
      maximum: 86_400,
      description: 'Seconds after which a stream ends; clients resume it at once, with their credentials checked anew.',
    }),
    buffer: Type.Integer({
      default: 256 * 1024,
      minimum: 1024,
      maximum: 16 * 1024 * 1024,
      description: 'Bytes that wait for a client that reads slowly; with more its stream is ended.',
    }),
  },
  { additionalProperties: false, description: 'Streams of events and notifications (docs/guide/streams.md).' },
)
