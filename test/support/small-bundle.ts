export * from '../../bench/serving/small/bundle.js';
