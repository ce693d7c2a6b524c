// The yardstick H: what Fastify alone answers on this machine. Prints its URL and serves until it is ended.
import Fastify from 'fastify'

const app = Fastify()
app.get('/', async () => ({ version: '1.0.0' }))
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
