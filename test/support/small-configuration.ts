export * from '../../bench/serving/small/configuration.js';
