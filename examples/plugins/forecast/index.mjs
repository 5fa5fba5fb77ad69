/** A tool over a service: one plugin provides the service, the other one publishes the tool that uses it. */
import { Contract, Plugin, Projection, z } from 'mini-app-mcp/plugin';
import { Forecast, forecastsFromFile } from './service.mjs';

const Get = Contract.operation('example/GetForecast', 1, {
  payload: z.object({ city: z.string().min(1).max(100).describe('Name of a city') }),
  success: z.string(),
  error: z.object({ code: z.literal('UNKNOWN_CITY'), message: z.string(), city: z.string() }),
}).annotate(Projection.Annotation, {
  name: 'forecast',
  title: 'City forecast',
  description: 'Read a city forecast',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

const tools = Plugin.make({
  name: 'forecast-tools',
  version: '1.0.0',
  inject: [Forecast],
  apply: () =>
    Projection.offer('public/forecast-tools', [
      Projection.operation(Forecast, Get, async (forecast, { city }) => {
        const found = await forecast.get(city);
        if (found === undefined) throw { code: 'UNKNOWN_CITY', message: `no forecast for ${city}`, city };
        return found;
      }),
    ]),
});

const service = Plugin.make({
  name: 'forecast-service',
  version: '1.0.0',
  apply: async (scope) => scope.provide(Forecast, await forecastsFromFile()),
});

// The order does not matter: a plugin waits for the services that it injects.
export default [tools, service];
