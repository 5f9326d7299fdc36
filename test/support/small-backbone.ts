export * from '../../bench/serving/small/backbone.js';
