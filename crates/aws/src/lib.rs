//! The ports of OpenReply on AWS: DynamoDB, SQS, SSM.
