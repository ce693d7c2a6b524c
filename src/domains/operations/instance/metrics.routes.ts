import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AggregatorRegistry, Counter, Gauge as Exported, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { operationOf } from '../../../core/http/routes.ts'
import type { Processes } from '../../../core/platform/concurrency/processes.ts'

interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** One value, or one value per combination of labels. */
type Gauge =
  | { readonly help: string; read(): number | Promise<number> }
  | { readonly help: string; readonly labelNames: readonly string[]; read(): Promise<readonly Sample[]> }

/** Values that are read at each scrape, by metric name without the prefix. */
export type Gauges = Readonly<Record<string, Gauge>>

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

const QUESTION = 'metrics'

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Measures all requests of `app` and the process itself; the text sums the measurements of all processes of the server.
 */
export function createMetrics(app: FastifyInstance, gauges: Gauges, processes: Processes) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const labelNames = ['operation', 'method', 'status'] as const
  const requests = new Counter({
    name: 'ingot_http_requests_total',
    help: 'Answered requests',
    labelNames,
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'ingot_http_request_duration_seconds',
    help: 'Time to answer',
    labelNames: ['operation', 'method'],
    buckets: SECONDS,
    registers: [registry],
  })
  const running = new Exported({
    name: 'ingot_http_requests_in_flight',
    help: 'Requests being answered',
    registers: [registry],
  })
  for (const [name, gauge] of Object.entries(gauges)) register(registry, name, gauge)
  app.addHook('onRequest', (_, __, done) => {
    running.inc()
    done()
  })
  // NOTE: cached, because the library sorts and joins the labels at each look-up. Bounded by operations, methods and
  // statuses.
  const series = new Map<string, { readonly count: Counter.Internal; readonly time: Histogram.Internal<string> }>()
  const seriesOf = (operation: string, method: string, status: number) => {
    const key = `${operation} ${method} ${status}`
    const known = series.get(key)
    if (known !== undefined) return known
    const made = {
      count: requests.labels({ operation, method, status: String(status) }),
      time: duration.labels({ operation, method }),
    }
    series.set(key, made)
    return made
  }
  app.addHook('onResponse', (request, reply, done) => {
    running.dec()
    const { count, time } = seriesOf(operationOf(request)?.id ?? 'other', request.method, reply.statusCode)
    count.inc()
    time.observe(reply.elapsedTime / 1000)
    done()
  })
  processes.answer(QUESTION, async () => JSON.stringify(await registry.getMetricsAsJSON()))
  return {
    /** The Prometheus text format. */
    text: (): Promise<string> => textOf(registry, processes),
    contentType: registry.contentType,
  }
}

function register(registry: Registry, name: string, gauge: Gauge): void {
  new Exported({
    name: `ingot_${name}`,
    help: gauge.help,
    labelNames: 'labelNames' in gauge ? gauge.labelNames : [],
    // NOTE: the value describes the whole server, whichever process reads it.
    aggregator: 'first',
    registers: [registry],
    async collect() {
      const read = await gauge.read()
      if (typeof read === 'number') return this.set(read)
      this.reset()
      for (const { labels, value } of read) this.set(labels, value)
    },
  })
}

async function textOf(registry: Registry, processes: Processes): Promise<string> {
  if (processes.count === 1) return registry.metrics()
  const [own, others] = await Promise.all([registry.getMetricsAsJSON(), processes.ask(QUESTION)])
  return AggregatorRegistry.aggregate([own, ...others.map((text) => JSON.parse(text) as typeof own)]).metrics()
}

export function registerMetrics(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', async (_, reply) => reply.header('content-type', metrics.contentType).send(await metrics.text()))
}

export interface MetricsListener {
  readonly url: string
  close(): Promise<void>
}

/** A separate server for metrics, which can listen on an internal network only. */
export async function listenForMetrics(
  metrics: Metrics,
  address: { readonly host: string; readonly port: number },
): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') return void response.writeHead(404).end()
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await listening(server, address)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${address.host}:${port}/metrics`,
    close: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  }
}

function listening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
}
